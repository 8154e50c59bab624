import { outputText } from '../../../domain/run/document.ts'
import { newLosses, type Losses } from '../losses.ts'
import type { CaseDocument } from './case-document.ts'

/** How a document is made smaller. Each step does what the ones before it do, and more. */
export type FittingStep = {
  readonly name: string
  readonly dropsRaw: boolean
  readonly cutsPrompts: boolean
  readonly cutsTexts: boolean
}

export const FITTING_STEPS: readonly FittingStep[] = [
  { name: 'whole', dropsRaw: false, cutsPrompts: false, cutsTexts: false },
  { name: 'without raw and request', dropsRaw: true, cutsPrompts: false, cutsTexts: false },
  { name: 'prompts to their last turn', dropsRaw: true, cutsPrompts: true, cutsTexts: false },
  { name: 'outputs and reasons to 16 KiB', dropsRaw: true, cutsPrompts: true, cutsTexts: true },
]

const MAX_TEXT_BYTES = 16 * 1024

/** The file that has a whole case, among its parts. */
export const WHOLE_CASE = 'full case.json'
const NOTE = 'to make the document smaller'

/** Applies a step to a case. `losses` records what it takes out, at `path`. */
const shortenCase = (
  item: CaseDocument,
  { dropsRaw, cutsPrompts, cutsTexts }: FittingStep,
  losses: Pick<Losses, 'add' | 'addBytes'>,
  path: string,
): CaseDocument => {
  if (!dropsRaw) return item
  const { request, raw, ...kept } = item
  if (raw !== undefined) losses.add('left_out', path, raw, NOTE)
  if (request !== undefined) losses.add('left_out', `${path} (request)`, request, NOTE)
  let short = kept as CaseDocument
  if (cutsPrompts && short.prompt && 'messages' in short.prompt && short.prompt.messages.length > 1) {
    const { messages } = short.prompt
    losses.add('left_out', `${path} (prompt)`, messages.slice(0, -1), NOTE)
    short = { ...short, prompt: { messages: messages.slice(-1) } }
  }
  if (!cutsTexts) return short
  const output = outputText(short.output)
  return {
    ...short,
    ...(output !== null &&
      Buffer.byteLength(output) > MAX_TEXT_BYTES && { output: cut(output, losses, `${path} (output)`) }),
    asserts: short.asserts.map((assertion) => ({
      ...assertion,
      reason: cut(assertion.reason, losses, `${path} (assertions).reason`),
    })),
  }
}

const cut = (text: string, losses: Pick<Losses, 'addBytes'>, path: string): string => {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length <= MAX_TEXT_BYTES) return text
  let end = MAX_TEXT_BYTES
  // A byte 10xxxxxx continues a character.
  while ((bytes[end]! & 0xc0) === 0x80) end--
  losses.addBytes('cut', path, bytes.length - end, NOTE)
  return `${bytes.toString('utf8', 0, end)}… [cut, ${bytes.length - end} bytes]`
}

/**
 * A case after a step. If something has to be taken out, `keepWhole` is asked to keep the case as a part: then nothing is lost, and
 * the losses say where it is.
 */
export const fittedCase = (
  whole: CaseDocument,
  step: FittingStep,
  losses: Losses,
  path: string,
  keepWhole: (whole: CaseDocument) => boolean,
): CaseDocument => {
  const taken = newLosses()
  const item = shortenCase(whole, step, taken, path)
  const all = taken.all()
  if (all.length === 0) return item
  const isKept = keepWhole(whole)
  losses.addAll(
    isKept ? all.map((loss) => ({ ...loss, kind: 'original_only', note: `${NOTE}: in ${WHOLE_CASE}` })) : all,
  )
  return item
}
