/** Whether columns can be picked and compared, and the base chosen. A file with a run has no server that could compare them. */
export const CAN_CHOOSE: boolean = true
