/** An error that the user can fix. Printed as one sentence, without a stack. */
export class UserError extends Error {}
