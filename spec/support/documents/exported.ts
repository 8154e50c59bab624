import { EXPORTERS } from '../../../interchange/exporters/index.ts'
import { instantMs, openDocument } from '../../../domain/run/document.ts'
import { prepareRun } from '../../../domain/run/prepare.ts'
import type { ExportFormat } from '../../../domain/report/export-formats.ts'
import type { ExportedComment, ExportOptions, Output } from '../../../domain/report/exporter.ts'
import type { ADocument } from './documents.ts'

type Options = Partial<ExportOptions> & {
  /** Cases that each call of an exporter gets. */
  readonly batch?: number
  readonly flaky?: Uint8Array
  readonly comments?: readonly ExportedComment[]
}

/**
 * A document in another format, as the service exports it. Between two batches the state is copied, as on its way from
 * one thread to another.
 */
export const exported = (
  format: ExportFormat,
  document: ADocument | string,
  { bom = false, raw = false, batch = 2, flaky, comments = [] }: Options = {},
): Buffer => {
  const bytes = Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))
  const opened = openDocument(bytes)
  const exporter = EXPORTERS[format]
  const pieces: Array<string | Uint8Array> = []
  const taken = <Step extends { readonly output: Output; readonly state: unknown }>(step: Step): Step => {
    pieces.push(...step.output)
    return { ...step, state: structuredClone(step.state) }
  }
  const order = Array.from({ length: opened.caseCount }, (_, n) => n)
  if (exporter.order === 'provider') {
    const providers = order.map((n) => opened.caseAt(n).cell.provider_id)
    order.sort((a, b) => (providers[a] ?? '').localeCompare(providers[b] ?? '') || a - b)
  }
  const hiddenBy = new Map(prepareRun(bytes).hidden.map(({ n, hidden_by }) => [n, hidden_by]))
  const head = {
    run: opened.run,
    created_at: instantMs(opened.run.finished_at),
    hidden_cases: hiddenBy.size,
    added: null,
    comments,
  }
  let { state } = taken(exporter.begin(head, { bom, raw }))
  if (flaky && exporter.addFlaky) state = exporter.addFlaky(state, flaky)
  for (let again = true; again;) {
    for (let from = 0; from < order.length; from += batch) {
      const cases = order.slice(from, from + batch).map((n) => {
        const { offset, length } = opened.caseSpan(n)
        const hidden_by = hiddenBy.get(n)
        return { n, bytes: bytes.subarray(offset, offset + length), ...(hidden_by !== undefined && { hidden_by }) }
      })
      state = taken(exporter.add(state, cases)).state
    }
    const ended = taken(exporter.end(state))
    again = ended.again
    state = ended.state
  }
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece)))
}
