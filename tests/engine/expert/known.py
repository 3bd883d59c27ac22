"""Known limits of the engine, by the name of the test that shows each, with the figure that was measured.

The one place for them. A test that is here and passes is an error, so that the table says what is true.
"""

from __future__ import annotations

KNOWN: dict[str, str] = {
    # A jump of keys is a motion within one step: what hangs on it is thrown.
    "test_keys_that_jump_do_not_kick[24]": "66 rad/s",
    "test_keys_that_jump_do_not_kick[240]": "473 rad/s",
    # Forces of motion are explicit in `euler`.
    "test_a_light_link_carries_a_heavy_load[24-euler]": "energy grows by 34%",
    "test_a_light_link_carries_a_heavy_load[60-euler]": "energy grows by 12%",
    # Forces of motion are explicit, at most midway.
    "test_a_whip_of_three_hundred_links_does_not_break[24-hinges]": "diverged at t = 0.166667 s",
    "test_a_whip_of_three_hundred_links_does_not_break[24-balls]": "diverged at t = 0.166667 s",
    "test_a_whip_of_three_hundred_links_does_not_break[60-hinges]": "diverged at t = 0.0666667 s",
    "test_a_whip_of_three_hundred_links_does_not_break[60-balls]": "diverged at t = 0.0666667 s",
    "test_a_whip_of_three_hundred_links_does_not_break[240-balls]": "diverged at t = 0.0208333 s",
    # The same.
    "test_an_undamped_chain_makes_no_energy[24-hinges-euler]": "diverged at t = 0.875 s",
    "test_an_undamped_chain_makes_no_energy[24-hinges-euler-midway]": "diverged at t = 1.875 s",
    "test_an_undamped_chain_makes_no_energy[24-balls-euler]": "diverged at t = 0.791667 s",
    "test_an_undamped_chain_makes_no_energy[24-balls-euler-midway]": "diverged at t = 0.458333 s",
    "test_an_undamped_chain_makes_no_energy[60-hinges-euler]": "energy grows by 732% of what it fell for",
    "test_an_undamped_chain_makes_no_energy[60-hinges-euler-midway]": "energy grows by 158% of what it fell for",
    "test_an_undamped_chain_makes_no_energy[60-balls-euler]": "diverged at t = 0.683333 s",
    "test_an_undamped_chain_makes_no_energy[60-balls-euler-midway]": "diverged at t = 1.61667 s",
    "test_an_undamped_chain_makes_no_energy[240-hinges-euler]": "energy grows by 71% of what it fell for",
    "test_an_undamped_chain_makes_no_energy[240-hinges-euler-midway]": "energy grows by 17% of what it fell for",
    "test_an_undamped_chain_makes_no_energy[240-balls-euler]": "diverged at t = 1.65417 s",
    "test_an_undamped_chain_makes_no_energy[240-balls-euler-midway]": "energy grows by 124% of what it fell for",
    "test_an_undamped_chain_makes_no_energy[960-balls-euler]": "energy grows by 78% of what it fell for",
    "test_an_undamped_chain_makes_no_energy[960-balls-euler-midway]": "energy grows by 11% of what it fell for",
    # What is let go falls many sizes in a step before it is held.
    "test_boxes_of_a_tenth_of_a_millimetre_stand[24]": "off by 2 of their size",
    "test_boxes_of_a_tenth_of_a_millimetre_stand[60]": "off by 0.012 of their size",
    # Loops follow their way to the second order in the step.
    "test_a_loop_keeps_its_energy[24-3]": "off by 45.4%",
    "test_a_loop_keeps_its_energy[24-4]": "off by 106.2%",
    "test_a_loop_keeps_its_energy[24-5]": "off by 50.3%",
    "test_a_loop_keeps_its_energy[24-6]": "off by 66.3%",
    "test_a_loop_keeps_its_energy[24-7]": "stops: `loop-point 0`",
    "test_a_loop_keeps_its_energy[24-8]": "stops: `loop-point 0`",
    "test_a_loop_keeps_its_energy[60-3]": "off by 4.6%",
    "test_a_loop_keeps_its_energy[60-4]": "off by 64.4%",
    "test_a_loop_keeps_its_energy[60-5]": "off by 73.3%",
    "test_a_loop_keeps_its_energy[60-6]": "off by 94.2%",
    "test_a_loop_keeps_its_energy[60-7]": "off by 44.8%",
    "test_a_loop_keeps_its_energy[60-8]": "off by 100.6%",
    "test_a_loop_keeps_its_energy[240-4]": "off by 1.9%",
    "test_a_loop_keeps_its_energy[240-5]": "off by 6.2%",
    "test_a_loop_keeps_its_energy[240-6]": "off by 4.2%",
    "test_a_loop_keeps_its_energy[240-7]": "off by 9.7%",
    "test_a_loop_keeps_its_energy[240-8]": "off by 19.9%",
    "test_a_loop_keeps_its_energy[960-6]": "off by 1.3%",
    "test_a_loop_keeps_its_energy[960-7]": "off by 1.3%",
    "test_a_loop_keeps_its_energy[960-8]": "off by 3.2%",
    # Friction in joints depends on rows that repeat others; 8 linkages.
    "test_a_step_is_the_same_however_its_loop_is_closed[point]": "7 of 8 differ, by up to 0.037 rad/s",
    "test_a_step_is_the_same_however_its_loop_is_closed[hinge]": "7 of 8 differ, by up to 0.037 rad/s",
    "test_a_step_is_the_same_however_its_loop_is_closed[planar twice]": "4 of 8 differ, by up to 0.015 rad/s",
    "test_a_step_is_the_same_however_its_loop_is_closed[hinge twice]": "7 of 8 differ, by up to 0.022 rad/s",
    "test_a_step_is_the_same_however_its_loop_is_closed[point and hinge]": "7 of 8 differ, by up to 0.022 rad/s",
    "test_a_step_is_the_same_at_default_options[point]": "5 of 8 differ, by up to 0.037 rad/s",
    "test_a_step_is_the_same_at_default_options[hinge]": "5 of 8 differ, by up to 0.037 rad/s",
    "test_a_step_is_the_same_at_default_options[hinge twice]": "4 of 8 differ, by up to 0.022 rad/s",
    "test_a_bar_that_is_cut_and_welded_is_a_bar": "3 of 8 differ, by up to 0.0016 m",
    # Redundant rows where something touches.
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[24-point-let go-smooth]": "turns by -6.3 degrees",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[24-point-driven-smooth]": "turns by -24.2 degrees",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[24-hinge-let go-smooth]": "turns by -5.9 degrees",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[24-hinge-driven-smooth]": "turns by -24.1 degrees",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[60-planar-let go-smooth]": "energy grows by 0.55 J",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[60-point-let go-smooth]": "stops: `loop-point 0`",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[60-point-driven-smooth]": "turns by 14.2 degrees",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[60-hinge-let go-smooth]": "stops: `loop-hinge 0`",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[60-hinge-driven-smooth]": "turns by 19.8 degrees",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[240-point-let go-smooth]": "stops: `loop-point 0`",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[240-point-driven-smooth]": "stops: `loop-point 0`",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[240-hinge-let go-smooth]": "stops: `loop-hinge 0`",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[240-hinge-driven-smooth]": "stops: `loop-hinge 0`",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[960-point-let go-smooth]": "turns by -1.9 degrees",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[960-point-driven-smooth]": "turns by 4.5 degrees",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[960-hinge-let go-smooth]": "turns by -1.9 degrees",
    "test_a_machine_on_feet_stays_straight_and_makes_no_energy[960-hinge-driven-smooth]": "turns by 4.5 degrees",
    # Contact and strands, without flesh.
    "test_a_strand_hangs_where_boxes_touch": "IndexError: index -1 is out of bounds for axis 0 with size 0",
    "test_halving_the_step_halves_the_error[lands]": "order 0.57: 2.38, 3.69, 1.8, 0.809 mm",
}
