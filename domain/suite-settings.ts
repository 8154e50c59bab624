/** What can be set of a suite, for everyone who sees it. */
export const SETTINGS = ['owner', 'snooze', 'archive'] as const
export type Setting = (typeof SETTINGS)[number]

/** The owner, or why a suite is snoozed or archived: prose, which is stored next to the log. */
export type SettingTexts = { readonly owner?: string; readonly why?: string }

/** The latest time until which a suite can be snoozed: the end of the year 9999, in epoch milliseconds. */
export const LATEST_SNOOZE_MS = Date.UTC(9999, 11, 31)
