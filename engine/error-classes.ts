/** Error classes that the suite is to blame for, from heavy to light. Any other class is a fault of the world around. */
export const CLASSES_OF_THE_SUITE = ['grader_missing', 'checker_failed', 'assert_failed', 'render_failed']
