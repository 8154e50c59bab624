/**
 * Vitest collects a hundred frames of each error. Most errors here are responses that a spec expects, and Node's
 * default of ten shows where an error came from.
 */
Error.stackTraceLimit = 10
