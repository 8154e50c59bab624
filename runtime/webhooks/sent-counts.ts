/** Tries since the start, by their result; a dropped message was not allowed any more. */
export type SentCounts = { readonly delivered: number; readonly failed: number; readonly dropped: number }
