import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { MAX_DOCUMENT_BYTES, readFile } from '../../../../../webapp/pages/runs/import/read-file.ts'
import { readDocument } from '../../../../../webapp/pages/runs/import/read-document.ts'
import { theExample } from '../../../../support/documents/documents.ts'

const reasonOf = async (content: BlobPart): Promise<unknown> => (await readFile(new Blob([content]))).contents

describe('a file before it is uploaded', () => {
  it('shows what it holds', () => {
    expect(readDocument(JSON.stringify(theExample()))).toMatchObject({
      project: 'support-desk',
      case_count: 5,
      counts: { pass: 2, fail: 1, skip: 1, error: 0, xfail: 0, xpass: 1 },
    })
  })

  it('is recognised as gzip by its content, whatever its name', async () => {
    const text = JSON.stringify(theExample())
    const packed = await readFile(new Blob([new Uint8Array(gzipSync(text))]))
    expect(packed).toMatchObject({ isCompressed: true, bytes: Buffer.byteLength(text), contents: { case_count: 5 } })
    expect(await readFile(new Blob([text]))).toMatchObject({ isCompressed: false, contents: { case_count: 5 } })
  })

  it('names what is wrong with it, and leaves other files to the server', async () => {
    const forServer = (reason: string) => ({ reason, isForServer: true, isForCommand: false })
    expect(await reasonOf('')).toEqual({ reason: 'is empty.', isForServer: false, isForCommand: false })
    expect(await reasonOf('{')).toEqual(forServer('is not JSON.'))
    expect(await reasonOf('[1]')).toEqual(forServer('is JSON, but not an object.'))
    expect(await reasonOf('{}')).toEqual(forServer('has no schema_version, so it is not a run document.'))
    expect(await reasonOf('{"schema_version":3}')).toEqual(forServer('has no run_id.'))
    expect(await reasonOf('{"schema_version":3,"run_id":"a"}')).toEqual(forServer('has no list of cases.'))
    expect(await reasonOf('PK\u0003\u0004')).toEqual(forServer('is not JSON.'))
    expect(await reasonOf(new Uint8Array(gzipSync('{}')).slice(0, 12))).toEqual({
      reason: 'is compressed with gzip, but damaged.',
      isForServer: false,
      isForCommand: false,
    })
    expect(await reasonOf('SQLite format 3\u0000')).toEqual({
      reason: 'is a database, which is not imported over HTTP.',
      isForServer: false,
      isForCommand: true,
    })
  })

  it('is not unpacked beyond the limit of the server', async () => {
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(MAX_DOCUMENT_BYTES + 1_000_000)))
    expect(await reasonOf(bomb)).toEqual({
      reason: 'holds more than 64 MiB, the limit here.',
      isForServer: false,
      isForCommand: true,
    })
  })

  it('reads fields of a wrong type as absent', () => {
    const odd = {
      schema_version: 3,
      run_id: 'a',
      cases: [null, 1, { status: 'no' }],
      project: 7,
      summary: [],
      git: 'x',
    }
    expect(readDocument(JSON.stringify(odd))).toMatchObject({
      project: null,
      commit: null,
      tokens: null,
      case_count: 3,
      providers: [],
    })
  })
})
