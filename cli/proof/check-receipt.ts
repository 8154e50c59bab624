import { createReadStream } from 'node:fs'
import { Command } from 'commander'
import { fromUtf8, toHex } from '../../domain/proof/bytes.ts'
import { checkReceipt, type CheckedReceipt, type Trust } from '../../domain/proof/check.ts'
import { compareReceipts, type ReceiptOrder } from '../../domain/proof/order.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { checkFirstLine, MAX_PROOF_BYTES } from '../../domain/proof/tlog-proof.ts'
import { receiptLines, timeText } from '../../domain/report/receipt.ts'
import { counted } from '../../domain/plain/counted.ts'
import { printable } from '../../domain/text/printable.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { nodeCrypto } from '../../storage/log/proof-crypto.ts'
import { repeated } from '../terminal/option-values.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { checkEvidence, PartsMissing } from './check-evidence.ts'
import { digestOfContent } from './document-digest.ts'
import { cannotRead, readTrust, trustOptions, type TrustSelection } from './trust.ts'

type Given = TrustSelection & {
  readonly json?: boolean
  readonly manifest?: string
  readonly parts?: string
  readonly part?: readonly string[]
  readonly partial?: boolean
}

export const checkReceiptCommand = (): Command => {
  const command = withUsageExit(new Command('check-receipt')).argument('<receipt>').argument('[files...]')
  for (const option of trustOptions()) command.addOption(option)
  return command
    .option('--manifest <file>', 'the manifest of the evidence that the record names; with one receipt')
    .option('--parts <folder>', 'with --manifest: a folder of parts that are named by their digests')
    .option('--part <file>', 'with --manifest: a file that is a part; may be repeated', repeated)
    .option('--partial', 'with --manifest: parts may be missing')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
A file after a receipt is its document (or the text of its plan), compressed or not, or another receipt. With several receipts of one log, it is also shown in which order they were recorded.

Exit code 0: all receipts are good; 2: nothing could be checked; 10: the record or the document is not what was recorded, nor a part of its evidence; 12: parts of the evidence are missing; 14: a signature is wrong, or by no trusted key; 15: the policy is not met; 20: not a receipt, a key or a policy.`,
    )
    .action((receipt: string, files: readonly string[], given: Given) =>
      exitWith(() => runCheck([receipt, ...files], given)),
    )
}

/** The evidence that options name, or null. */
const evidenceOf = ({ manifest, parts, part = [], partial = false }: Given, paths: readonly string[]) => {
  if (manifest === undefined) {
    if (parts !== undefined || part.length > 0 || partial)
      throw new UserError('--parts, --part and --partial need --manifest')
    return null
  }
  if (paths.includes(manifest)) throw new UserError('name the manifest with --manifest alone')
  return { manifest, parts: parts ?? null, files: part, isPartial: partial }
}

const runCheck = async (paths: readonly string[], { json = false, ...given }: Given): Promise<number> => {
  const evidence = evidenceOf(given, paths)
  try {
    const trust = await readTrust(given)
    const checked = await checkFiles(paths, trust)
    const [first, second] = checked
    if (evidence && second) throw new UserError('--manifest is checked with one receipt: name no other')
    const parts = evidence && first ? await checkEvidence(first.receipt, evidence) : null
    const order = compareReceipts(checked.map(({ receipt }) => receipt))
    await writeStdout(
      json
        ? asLine({ ok: true, code: 0, receipts: checked.map(asJson), order, ...(parts && { parts }) })
        : `${asText(checked, order, trust)}${partsText(parts)}`,
    )
    return 0
  } catch (error) {
    if (!(error instanceof ProofFailed) && !(error instanceof PartsMissing)) throw error
    const { code, message } = error
    if (json) await writeStdout(asLine({ ok: false, code, message }))
    else process.stderr.write(`Refused (${code}): ${printable(message)}\n`)
    return code
  }
}

const partsText = (parts: { readonly checked: number; readonly of: number } | null): string =>
  parts === null
    ? ''
    : `\nThe manifest is the recorded one, and ${parts.checked} of its ${counted(parts.of, 'part')} are those that it names.\n`

type Checked = { readonly path: string; readonly receipt: CheckedReceipt }

/** Checks receipts in the given order. A file that does not begin as a receipt does is the document of the one before. */
const checkFiles = async (paths: readonly string[], trust: Trust): Promise<Checked[]> => {
  const groups: { readonly path: string; readonly text: string; document?: Input }[] = []
  const inputs: Input[] = []
  try {
    for (const path of paths) {
      const input = openInput(path)
      inputs.push(input)
      const beginning = await input.beginning()
      const last = groups.at(-1)
      // The first file is a receipt whatever it begins with: if it does not, that is what is wrong with it.
      if (!last || beginsAsReceipt(beginning)) groups.push({ path, text: receiptText(path, beginning) })
      else if (last.document === undefined) last.document = input
      else throw new ProofFailed(20, `${path} is not a receipt, and ${last.path} has a document already`)
    }
    const checked: Checked[] = []
    for (const { path, text, document } of groups)
      checked.push({ path, receipt: await checkOne(path, text, document, trust) })
    return checked
  } finally {
    for (const input of inputs) input.close()
  }
}

const RECEIPT_BEGINS = Buffer.from('c2sp.org/tlog-proof@')
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

const beginsAsReceipt = (bytes: Buffer): boolean =>
  [RECEIPT_BEGINS, Buffer.concat([BYTE_ORDER_MARK, RECEIPT_BEGINS])].some((begins) =>
    bytes.subarray(0, begins.length).equals(begins),
  )

/** A file that is read once from its beginning to its end: it may be a pipe. */
type Input = {
  readonly path: string
  /** The first bytes; all, unless they are more than a receipt may have. Throws `UserError` if they cannot be read. */
  readonly beginning: () => Promise<Buffer>
  /** All bytes, after `beginning`. */
  readonly content: () => AsyncIterable<Uint8Array>
  readonly close: () => void
}

const openInput = (path: string): Input => {
  const stream = createReadStream(path)
  // Without a listener, an error after the last read would end the process.
  stream.on('error', () => {})
  const chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  const next = async (): Promise<Buffer | null> => {
    try {
      const read = await chunks.next()
      return read.done === true ? null : read.value
    } catch (error) {
      throw cannotRead(path, error)
    }
  }
  const begun: Buffer[] = []
  return {
    path,
    beginning: async () => {
      for (let length = 0; length <= MAX_PROOF_BYTES;) {
        const chunk = await next()
        if (chunk === null) break
        begun.push(chunk)
        length += chunk.length
      }
      return Buffer.concat(begun)
    },
    content: async function* () {
      yield* begun
      for (let chunk = await next(); chunk !== null; chunk = await next()) yield chunk
    },
    close: () => void stream.destroy(),
  }
}

const receiptText = (path: string, bytes: Buffer): string => {
  const text = fromUtf8(bytes)
  try {
    checkFirstLine(text ?? bytes.toString('latin1'))
  } catch (error) {
    throw inFile(path, error)
  }
  // A long file may be cut inside of a character; its length is what is wrong with it.
  if (text === null && bytes.length <= MAX_PROOF_BYTES) throw new ProofFailed(20, `${path} is not UTF-8 text`)
  return text ?? bytes.toString('latin1')
}

const checkOne = async (
  path: string,
  text: string,
  document: Input | undefined,
  trust: Trust,
): Promise<CheckedReceipt> => {
  try {
    const given = document && {
      document: (maxBytes: number | null) => digestOfContent(document.content(), document.path, maxBytes),
    }
    return await checkReceipt(text, { ...trust, ...given }, nodeCrypto)
  } catch (error) {
    throw inFile(path, error)
  }
}

const inFile = (path: string, error: unknown): unknown =>
  error instanceof ProofFailed ? new ProofFailed(error.code, `${path}: ${error.message}`) : error

const asLine = (value: object): string => `${printable(JSON.stringify(value))}\n`

const asJson = ({ path, receipt: { index, record, checkpoint, document } }: Checked) => ({
  file: path,
  index,
  seq: index + 1,
  type: record.type,
  recorded_at: timeText(record.recorded_at),
  stream: record.stream,
  version: record.version,
  run_id: record.run_id,
  plan_id: record.plan_id,
  request_id: record.request_id,
  actor: record.actor,
  data: record.data,
  document,
  origin: checkpoint.origin,
  size: checkpoint.size,
  root: toHex(checkpoint.root),
  signed_by: checkpoint.signed_by,
  witnesses: checkpoint.witnesses.map(({ name, at }) => ({ name, at: timeText(at * 1000) })),
  unchecked: checkpoint.unchecked,
})

const asText = (checked: readonly Checked[], order: ReceiptOrder | null, trust: Trust): string =>
  [
    ...checked.map(({ path, receipt }) =>
      [
        `${printable(path)}: good`,
        ...receiptLines(receipt).map(([name, value]) => `  ${name.padEnd(12)} ${value}`),
      ].join('\n'),
    ),
    ...(order === null ? [] : [orderText(order, checked)]),
    ...receiptHints(checked, trust).map((hint) => `Hint: ${hint}`),
  ]
    .map((part) => `${part}\n`)
    .join('\n')

const receiptHints = (checked: readonly Checked[], { policy }: Trust): string[] => [
  ...(checked.some(({ receipt: { record, document } }) => record.document && document === 'not given')
    ? ['give the document as the file after its receipt, to see that it is the one that was recorded']
    : []),
  ...(policy?.quorum
    ? []
    : [
        'no witness was required, so the log may show other readers another history: name witnesses that must have signed with --policy',
      ]),
]

const orderText = (order: ReceiptOrder, checked: readonly Checked[]): string => {
  if (!order.comparable) return 'The receipts are of different logs: their order is not known.'
  if (order.indexes.length === 1) return 'All receipts are of one record.'
  const lines = order.indexes.map((index) => {
    const found = checked.find(({ receipt }) => receipt.index === index)
    return `  record ${index + 1}: ${printable(found?.path ?? '')}`
  })
  return ['Order, the earliest first:', ...lines].join('\n')
}
