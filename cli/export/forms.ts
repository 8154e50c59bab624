import { createHash } from 'node:crypto'
import { TransientError } from '../client/backoff.ts'
import { MAX_DOCUMENT_BYTES, WrongAnswer, answerParts, checkType } from '../client/answer.ts'
import { EXPORT_FORMATS, type ExportFormat } from '../../domain/report/export-formats.ts'

/** How a file of a format begins and ends, as text of one character a byte. */
type Form = {
  readonly name: string
  readonly type: RegExp
  readonly begins: RegExp
  readonly ends: RegExp
  readonly maxBytes: number
}

/** A format may repeat in each row what a document has only once, so an export can be longer than its document. */
const MAX_FORMAT_BYTES = 4 * 1024 * 1024 * 1024

const EDGE_BYTES = 64

const JSON_FORM = { begins: /^\s*\{/, ends: /\}\s*$/ }

const EDGES: Readonly<Record<ExportFormat, Pick<Form, 'begins' | 'ends'>>> = {
  jsonl: { begins: /^\{/, ends: /\}\n$/ },
  csv: { begins: /^(?:\xEF\xBB\xBF)?(?![<{[\s])/, ends: /\n$/ },
  parquet: { begins: /^PAR1/, ends: /PAR1$/ },
  junit: { begins: /^<\?xml/, ends: /<\/testsuites?>\s*$/ },
  ctrf: JSON_FORM,
  // The record that ends an archive (APPNOTE 4.3.16), which has no comment here.
  'every-eval-ever': { begins: /^PK\x03\x04/, ends: /PK\x05\x06[^]{18}$/ },
}

const exportForm = (format: ExportFormat | undefined): Form => {
  if (format === undefined)
    return { name: 'a run document', type: /^application\/json$/i, ...JSON_FORM, maxBytes: MAX_DOCUMENT_BYTES }
  const { label, contentType } = EXPORT_FORMATS[format]
  const type = new RegExp(`^${(contentType.split(';')[0] ?? '').replaceAll(/[.+]/g, '\\$&')}$`, 'i')
  return { name: label, type, ...EDGES[format], maxBytes: MAX_FORMAT_BYTES }
}

/**
 * The bytes of an exported run, part by part, from when the beginning has the form of the format. Throws `WrongAnswer` for an
 * answer of another type or form, and `TransientError` for an incomplete one: its end is not that of the format,
 * or the digest of the document is not the one in its ETag. A proxy may remove the ETag; then a document names its run.
 */
export const exportedBytes = async function* (
  response: Response,
  format: ExportFormat | undefined,
): AsyncGenerator<Uint8Array> {
  const { name, type, begins, ends, maxBytes } = exportForm(format)
  checkType(response, type, name)
  const [, digest] = (format === undefined && /^"([0-9a-f]{64})"$/.exec(response.headers.get('etag') ?? '')) || []
  const hash = createHash('sha256')
  const other = (): WrongAnswer => new WrongAnswer(`sends something other than ${name}`)
  let waiting: Buffer | null = Buffer.alloc(0)
  let end = Buffer.alloc(0)
  let namesRun = false
  for await (const part of answerParts(response, { maxBytes })) {
    if (digest !== undefined) hash.update(part)
    namesRun ||= Buffer.concat([end, part]).includes('"run_id"')
    end = part.length >= EDGE_BYTES ? Buffer.from(part.subarray(-EDGE_BYTES)) : lastBytes(Buffer.concat([end, part]))
    if (waiting === null) {
      yield part
      continue
    }
    // The beginning may arrive byte by byte.
    waiting = Buffer.concat([waiting, part])
    if (begins.test(waiting.toString('latin1', 0, EDGE_BYTES))) {
      yield waiting
      waiting = null
    } else if (waiting.length >= EDGE_BYTES) throw other()
  }
  if (waiting !== null || (format === undefined && digest === undefined && !namesRun)) throw other()
  if (!ends.test(end.toString('latin1')) || (digest !== undefined && hash.digest('hex') !== digest))
    throw new TransientError('the response was interrupted: it is not complete', { status: response.status })
}

const lastBytes = (bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> => bytes.subarray(-EDGE_BYTES)
