/** Error classes that the suite is to blame for, from heavy to light. Any other class is a fault outside of the suite. */
export const CLASSES_OF_THE_SUITE = ['grader_missing', 'checker_failed', 'assert_failed', 'render_failed']
