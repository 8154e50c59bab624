/** What the user sets for an import. All members are plain data: they are sent to a thread. */
export type ImportOptions = {
  readonly project?: string | undefined
  readonly suite?: string | undefined
  readonly provider?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly branch?: string | undefined
  readonly commit?: string | undefined
  /** The names of the assertions that decide a case. Empty: those that decide in the tool. */
  readonly scorers?: readonly string[] | undefined
  /** From which score on an assertion without a result of its own passes. */
  readonly passThreshold?: number | undefined
  readonly passThresholds?: Readonly<Record<string, number>> | undefined
  /** The IANA zone of times that have none. */
  readonly timeZone?: string | undefined
  /** Epoch ms of the import. A time of a source more than a day later is that of a wrong clock. */
  readonly importedAt?: number | undefined
  /** RFC 3339: the time of runs whose source has none. */
  readonly createdAt?: string | undefined
  /** Epoch ms: other runs are passed over. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Whether a source with totals only becomes a run with a case for each total. */
  readonly aggregates?: boolean | undefined
  /** Whether a run is refused if its tool counts other cases than its file holds. */
  readonly strict?: boolean | undefined
  /** The text of a table map, or the name of a preset such as `preset:ragas`. */
  readonly map?: string | undefined
}

export const DEFAULT_PASS_THRESHOLD = 0.5
