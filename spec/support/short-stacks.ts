/**
 * Vitest gathers a hundred frames of each error; most errors here are answers that a specification expects, and Node's
 * own ten say where one came from.
 */
Error.stackTraceLimit = 10
