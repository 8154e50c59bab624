import { toBase64 } from '../proof/base64.ts'
import type { CheckedReceipt } from '../proof/check.ts'
import { printable } from '../text/printable.ts'

/** A line of a checked receipt: what it is, and its value. */
export type ReceiptLine = readonly [name: string, value: string]

/** Epoch milliseconds as an RFC 3339 instant; as a number beyond the years that one can have. */
export const timeText = (ms: number): string => (ms < MAX_TIME ? new Date(ms).toISOString() : `${ms} ms since 1970`)

/** The end of the year 9999. */
const MAX_TIME = 253_402_300_800_000

/** What a good receipt shows, for people. Values are of one line each: uploaders choose some of them, and a line break would forge a line. */
export const receiptLines = (receipt: CheckedReceipt): ReceiptLine[] =>
  allLines(receipt).map(([name, value]) => [name, printable(value)])

const allLines = ({ index, record, checkpoint, document }: CheckedReceipt): ReceiptLine[] => {
  const { run_id, plan_id, stream, data } = record
  return [
    ['record', `number ${index + 1}, ${record.type}`],
    ['recorded at', `${timeText(record.recorded_at)} (the server's own claim)`],
    ...optional('run', run_id),
    ...optional('plan', plan_id ?? data['plan_id']),
    ...(run_id === null && plan_id === null ? [['stream', stream] as const] : []),
    ...optional('project', data['project']),
    ...optional('suite', data['suite']),
    ...optional('attempt', data['attempt']),
    ...optional('threshold', thresholdText(record)),
    ...optional('cases', plannedCases(record)),
    ...documentLines(record.document, document),
    ['actor', actorText(record.actor)],
    ['origin', checkpoint.origin],
    ['checkpoint', `${checkpoint.size} records, root ${toBase64(checkpoint.root)}`],
    ['signed by', checkpoint.signed_by.map((vkey) => vkey.split('+', 2).join('+')).join(', ')],
    ...witnessLines(checkpoint),
  ]
}

const optional = (name: string, value: unknown): ReceiptLine[] =>
  typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : []

/** What a run that follows a plan has to reach; null if the record is no plan, or the plan names no threshold. */
export const thresholdText = ({ type, data }: CheckedReceipt['record']): string | null => {
  const { metric, comparator, threshold } = data
  if (type !== 'PlanRegistered' || typeof threshold !== 'number') return null
  return typeof metric === 'string' && typeof comparator === 'string' ? `${metric} ${comparator} ${threshold}` : null
}

/** The planned number of cases; null if the record is no plan, or the plan names none. */
export const plannedCases = ({ type, data }: CheckedReceipt['record']): number | null =>
  type === 'PlanRegistered' && typeof data['case_count'] === 'number' ? data['case_count'] : null

const documentLines = (
  recorded: CheckedReceipt['record']['document'],
  document: CheckedReceipt['document'],
): ReceiptLine[] => {
  if (!recorded) return []
  const size = recorded.bytes === null ? '' : `${recorded.bytes} bytes, `
  return [
    ['digest', `${size}SHA-256 ${recorded.sha256}`],
    ['document', document],
  ]
}

const actorText = ({ kind, user_id, credential_id, address }: CheckedReceipt['record']['actor']): string =>
  [
    ...optional('', kind),
    ...optional('account ', user_id),
    ...optional('credential ', credential_id),
    ...optional('', address),
  ]
    .map((part) => part.join(''))
    .join(', ')

const witnessLines = ({ witnesses, unchecked }: CheckedReceipt['checkpoint']): ReceiptLine[] => [
  ...witnesses.map(({ name, at }) => ['witness', `${name} at ${timeText(at * 1000)}`] as const),
  ...unchecked.map((name) => ['witness', `${name}: not checked here`] as const),
  ...(witnesses.length + unchecked.length === 0 ? [['witnesses', 'none checked'] as const] : []),
]
