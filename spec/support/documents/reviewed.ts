/** The suite that `seedReviews` fills, and its run. */
export const REVIEWED = { project: 'chat', suite: 'review', run: 'reviewed' } as const
