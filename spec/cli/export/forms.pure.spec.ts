import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { TransientError } from '../../../cli/client/backoff.ts'
import { WrongAnswer } from '../../../cli/client/answer.ts'
import { exportedBytes } from '../../../cli/export/forms.ts'
import type { ExportFormat } from '../../../domain/report/export-formats.ts'

const DOCUMENT = '{"run_id":"r","cases":[]}'
const digestOf = (text: string): string => `"${createHash('sha256').update(text).digest('hex')}"`

/** Sends a text byte by byte, so that every edge is cut. */
const answer = (text: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        for (const byte of Buffer.from(text, 'latin1')) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    }),
    { headers },
  )

const read = async (response: Response, format?: ExportFormat): Promise<string> =>
  Buffer.concat(await Array.fromAsync(exportedBytes(response, format))).toString('latin1')

const JSON_TYPE = { 'content-type': 'application/json' }

describe('an exported run', () => {
  it.each<[ExportFormat | undefined, string, string]>([
    [undefined, 'application/json', DOCUMENT],
    [undefined, 'application/json; charset=utf-8', ` \n${DOCUMENT}\n`],
    ['jsonl', 'application/x-ndjson', '{"a":1}\n{"b":2}\n'],
    ['csv', 'text/csv; charset=utf-8', 'run_id\r\nr\r\n'],
    ['csv', 'text/csv', '\xEF\xBB\xBFrun_id\r\n'],
    ['parquet', 'application/vnd.apache.parquet', 'PAR1 rows PAR1'],
    ['junit', 'application/xml', '<?xml version="1.0"?><testsuite></testsuite>\n'],
    ['ctrf', 'application/json', '{"results":{}}'],
    ['every-eval-ever', 'application/zip', `PK\x03\x04 files PK\x05\x06${'\0'.repeat(18)}`],
  ])('as %s (%s) arrives as it is', async (format, type, text) => {
    expect(await read(answer(text, { 'content-type': type }), format)).toBe(text)
    // A proxy may remove the type. The form shows what it is.
    expect(await read(answer(text), format)).toBe(text)
  })

  it('has the digest of its ETag', async () => {
    const whole = answer(DOCUMENT, { ...JSON_TYPE, etag: digestOf(DOCUMENT) })
    expect(await read(whole)).toBe(DOCUMENT)
    const other = answer(DOCUMENT, { ...JSON_TYPE, etag: digestOf(`${DOCUMENT} `) })
    await expect(read(other)).rejects.toThrow(TransientError)
  })

  it.each<[ExportFormat | undefined, string, string]>([
    [undefined, 'text/html', DOCUMENT],
    [undefined, 'application/json', '<!doctype html>'],
    [undefined, 'application/json', '{"ok":true}'],
    [undefined, 'application/json', '[]'],
    [undefined, 'application/json', ''],
    [undefined, 'application/json', ' '.repeat(100)],
    ['csv', 'application/json', 'a,b\n'],
    ['csv', 'text/csv', '<!doctype html>\n'],
    ['csv', 'text/csv', '{"error":"no"}\n'],
    ['parquet', 'application/vnd.apache.parquet', 'PK'],
    ['junit', 'application/xml', '<!doctype html><testsuite></testsuite>'],
  ])('as %s is nothing else: %s, %j', async (format, type, text) => {
    await expect(read(answer(text, { 'content-type': type }), format)).rejects.toThrow(WrongAnswer)
  })

  it.each<[ExportFormat | undefined, string]>([
    [undefined, DOCUMENT.slice(0, -1)],
    ['jsonl', '{"a":1}\n{"b"'],
    ['csv', 'run_id\r\nr'],
    ['parquet', 'PAR1 rows'],
    ['junit', '<?xml version="1.0"?><testsuite>'],
    ['every-eval-ever', 'PK\x03\x04 files'],
  ])('as %s is whole, or an error: %j', async (format, text) => {
    await expect(read(answer(text), format)).rejects.toThrow(TransientError)
  })
})
