import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../engine/json.ts'
import { readExecFiles } from '../../../engine/providers/exec-files.ts'
import { redactor } from '../../../engine/providers/redactor.ts'
import { memoryParts } from '../../support/engine/memory-parts.ts'

const HEAD = '{"transcript":1,"source":{"format":"own","version":"1"}}\n'

describe('files that a program names', () => {
  let folder: string
  let directory: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'exec-files-'))
    directory = join(folder, 'suite')
    mkdirSync(join(directory, 'out'), { recursive: true })
    writeFileSync(join(folder, 'outside.txt'), 'outside')
    writeFileSync(join(directory, 'out/t.jsonl'), HEAD)
    writeFileSync(join(directory, 'out/a.txt'), 'key sk-canary-0123')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const read = (response: JsonObject) => {
    const parts = memoryParts()
    const redact = redactor([['KEY', 'sk-canary-0123']])
    return { found: readExecFiles(response, { directory, parts, redact }), parts }
  }

  it('are parts, with the transcript first, and texts without secrets', () => {
    const { found, parts } = read({
      attachments: [{ path: './out/a.txt', name: 'notes' }, { path: 'out/a.txt' }],
      transcript: 'out/t.jsonl',
    })
    expect(found).toMatchObject([
      { role: 'transcript', name: 'transcript', bytes: HEAD.length },
      { role: 'output', name: 'notes', media_type: 'application/octet-stream' },
    ])
    expect([...parts.parts.values()].map(String)).toEqual([HEAD, 'key [redacted KEY]'])
    expect(read({ output: 'a', attachments: null, transcript: null }).found).toEqual([])
  })

  it.each([
    ['../outside.txt', 'must be a path in the folder of the suite'],
    ['out/../../outside.txt', 'must be a path in the folder of the suite'],
    ['/etc/passwd', 'must be a path in the folder of the suite'],
    ['C:\\secret', 'must be a path in the folder of the suite'],
    ['\\\\host\\share', 'must be a path in the folder of the suite'],
    ['out/a\0.txt', 'must be a path in the folder of the suite'],
    ['.', 'must be a path in the folder of the suite'],
    ['link.txt', 'names a link'],
    ['linked/outside.txt', 'names a link'],
    ['out', 'names no regular file'],
    ['out/none', 'names no file'],
    ['out/a.txt/b', 'names no file'],
    ['', 'must be the path of a file'],
    [7, 'must be the path of a file'],
    ['large', 'names a file of more than 64 MiB'],
  ])('refuses %j: %s', (path, message) => {
    symlinkSync(join(folder, 'outside.txt'), join(directory, 'link.txt'))
    symlinkSync(folder, join(directory, 'linked'))
    writeFileSync(join(directory, 'large'), '')
    truncateSync(join(directory, 'large'), 64 * 1024 * 1024 + 1)
    const failure = (field: string) =>
      expect.objectContaining({
        errorClass: 'exec_failed',
        message: expect.stringContaining(`\`${field}\` of the response ${message}`) as string,
      }) as Error
    expect(() => read({ attachments: [{ path: 'out/a.txt' }, { path }] })).toThrow(failure('attachments[1].path'))
    expect(() => read({ transcript: path })).toThrow(failure('transcript'))
  })

  it.each([
    [{ attachments: 'a' }, '`attachments` of the response must be an array'],
    [{ attachments: ['a'] }, '`attachments[0]` of the response must be an object'],
    [{ attachments: [{}] }, '`attachments[0].path` of the response must be the path of a file'],
    [{ attachments: [{ path: 'out/a.txt', name: 1 }] }, '`attachments[0].name` of the response must be a string'],
    [{ attachments: Array.from({ length: 101 }, () => ({ path: 'out/a.txt' })) }, 'at most 100 entries'],
    [{ transcript: 'out/a.txt' }, '`transcript` of the response names a file whose first line is no'],
  ])('names the field of %j', (response, message) => {
    expect(() => read(response as JsonObject)).toThrow(message)
  })
})
