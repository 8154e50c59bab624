import { toBase64 } from '../proof/base64.ts'
import type { CheckedReceipt, Trust } from '../proof/check.ts'

/** A line of a checked receipt: what it is, and its value. */
export type ReceiptLine = readonly [name: string, value: string]

/** Epoch milliseconds as an RFC 3339 instant; as a number beyond the years that one can have. */
export const timeText = (ms: number): string => (ms < MAX_TIME ? new Date(ms).toISOString() : `${ms} ms since 1970`)

/** The end of the year 9999. */
const MAX_TIME = 253_402_300_800_000

/** What a good receipt shows, for people. */
export const receiptLines = (
  { index, record, checkpoint, document }: CheckedReceipt,
  { policy }: Pick<Trust, 'policy'>,
): ReceiptLine[] => {
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
    ...documentLines(record.document, document),
    ['actor', actorText(record.actor)],
    ['origin', checkpoint.origin],
    ['checkpoint', `${checkpoint.size} records, root ${toBase64(checkpoint.root)}`],
    ['signed by', checkpoint.signed_by.map((vkey) => vkey.slice(0, vkey.lastIndexOf('+'))).join(', ')],
    ...witnessLines(checkpoint, policy),
  ]
}

const optional = (name: string, value: unknown): ReceiptLine[] =>
  typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : []

const documentLines = (
  recorded: CheckedReceipt['record']['document'],
  document: CheckedReceipt['document'],
): ReceiptLine[] => {
  if (!recorded) return []
  const size = recorded.bytes === null ? '' : `${recorded.bytes} bytes, `
  const hint = document === 'not given' ? ': give it as the next file to compare it' : ''
  return [
    ['digest', `${size}SHA-256 ${recorded.sha256}`],
    ['document', `${document}${hint}`],
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

const witnessLines = (
  { witnesses, unchecked }: CheckedReceipt['checkpoint'],
  policy: Trust['policy'],
): ReceiptLine[] => [
  ...witnesses.map(({ name, at }) => ['witness', `${name} at ${timeText(at * 1000)}`] as const),
  ...unchecked.map((name) => ['witness', `${name}: not checked here`] as const),
  ...(witnesses.length === 0
    ? [['witnesses', policy ? 'none required' : 'none checked: --policy names witnesses to require'] as const]
    : []),
]
