/** What can be set of a suite, for everyone who sees it. */
export const SETTINGS = ['owner', 'snooze', 'archive', 'cost', 'latency'] as const
export type Setting = (typeof SETTINGS)[number]

/** The settings that say from which rise on, in percent, the cost or the latency of a suite needs attention. */
export const THRESHOLDS = ['cost', 'latency'] as const satisfies readonly Setting[]
export type Threshold = (typeof THRESHOLDS)[number]

/** The threshold of a suite that has no other: 1.25 times as much. */
export const DEFAULT_RISE_PERCENT = 25
export const MAX_RISE_PERCENT = 100_000

/** What is set of a suite. */
export type Thresholds = { readonly [T in Threshold]?: number | undefined }

/** The owner, or why a suite is snoozed or archived: prose, which is stored next to the log. */
export type SettingTexts = { readonly owner?: string; readonly why?: string }

/** The latest time until which a suite can be snoozed: the end of the year 9999, in epoch milliseconds. */
export const LATEST_SNOOZE_MS = Date.UTC(9999, 11, 31)
