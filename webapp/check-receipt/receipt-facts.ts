import { toBase64 } from '../../domain/proof/base64.ts'
import type { CheckedReceipt } from '../../domain/proof/check.ts'
import { plannedCases, thresholdText, timeText } from '../../domain/report/receipt.ts'
import { formatCount, formatExact, plural } from '../text/format.ts'
import { eventWords } from '../../domain/proof/event-names.ts'
import { visibleLine } from '../text/visible-text.ts'

/** A fact that a good receipt shows. `code` is an id, a digest or a key; `note` says more about the value. */
export type ReceiptFact = {
  readonly name: string
  readonly text?: string
  readonly code?: string
  readonly note?: string
}

const LAST_TIME = 8.64e15

const timeOf = (ms: number): string => (ms < LAST_TIME ? formatExact(new Date(ms), 'UTC') : timeText(ms))

const ACTORS: Readonly<Record<string, string>> = {
  anonymous: 'a caller without a credential',
  apikey: 'an API key',
  cli: 'the command line of the server',
  session: 'an account that was signed in',
  static: 'a static token',
  system: 'the service itself',
}

const code = (name: string, value: unknown): ReceiptFact[] =>
  typeof value === 'string' || typeof value === 'number' ? [{ name, code: visibleLine(String(value)) }] : []
const text = (name: string, value: unknown): ReceiptFact[] =>
  typeof value === 'string' || typeof value === 'number' ? [{ name, text: visibleLine(String(value)) }] : []

/** What a good receipt shows, in the words of the app. Names in a receipt are what uploaders chose: marks show invisible characters. */
export const receiptFacts = ({ index, record, checkpoint, document }: CheckedReceipt): ReceiptFact[] => {
  const { run_id, plan_id, stream, data, actor } = record
  const { kind } = actor
  return [
    {
      name: 'Record',
      text: visibleLine(eventWords(record.type)),
      note: `number ${formatCount(index + 1)} of ${formatCount(checkpoint.size)}`,
    },
    { name: 'Recorded', text: timeOf(record.recorded_at), note: 'by the clock of the server' },
    ...code('Run', run_id),
    ...code('Plan', plan_id ?? data['plan_id']),
    ...(run_id === null && plan_id === null ? code('Stream', stream) : []),
    ...text('Project', data['project']),
    ...text('Suite', data['suite']),
    ...text('Attempt', data['attempt']),
    ...text('Threshold', thresholdText(record)),
    ...text('Planned cases', plannedCases(record)),
    ...documentFacts(record.document, document),
    ...(typeof kind === 'string' ? [{ name: 'By', text: ACTORS[kind] ?? visibleLine(kind) }] : []),
    ...code('Account', actor['user_id']),
    ...code('Credential', actor['credential_id']),
    ...code('From', actor['address']),
    { name: 'Log', code: visibleLine(checkpoint.origin) },
    { name: 'Checkpoint', code: toBase64(checkpoint.root), note: `root of ${plural(checkpoint.size, 'record')}` },
    ...checkpoint.signed_by.map((vkey) => ({ name: 'Signed by', code: visibleLine(nameAndId(vkey)) })),
    ...witnessFacts(checkpoint),
  ]
}

/** A verifier key without its bytes, whose base64 may contain plus signs too. */
const nameAndId = (vkey: string): string => vkey.split('+', 2).join('+')

const documentFacts = (
  recorded: CheckedReceipt['record']['document'],
  document: CheckedReceipt['document'],
): ReceiptFact[] => {
  if (!recorded) return []
  const size = recorded.bytes === null ? {} : { note: plural(recorded.bytes, 'byte') }
  return [
    { name: 'SHA-256', code: recorded.sha256, ...size },
    { name: 'Document', text: document === 'matches' ? 'the one that you gave' : 'not given' },
  ]
}

const witnessFacts = ({ witnesses, unchecked }: CheckedReceipt['checkpoint']): ReceiptFact[] => [
  ...witnesses.map(({ name, at }) => ({ name: 'Witness', code: visibleLine(name), note: timeOf(at * 1000) })),
  ...unchecked.map((name) => ({ name: 'Witness', code: visibleLine(name), note: 'not checked here' })),
  ...(witnesses.length + unchecked.length === 0 ? [{ name: 'Witnesses', text: 'none checked' }] : []),
]
