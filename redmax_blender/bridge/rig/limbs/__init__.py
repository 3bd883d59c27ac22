"""What the bones of a rig are as limbs of a body: where their flesh is, who carries whom, and how heavy they are."""
