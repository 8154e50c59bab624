import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Json } from '../../../../domain/run/readers.ts'
import { takeMedia } from '../../../../domain/evidence/media.ts'
import { transcriptContent } from '../../../../interchange/document/evidence/transcript-content.ts'
import { digestOf } from '../../../support/documents/parts.ts'
import { importBytes, lossesOf, targetWith } from '../../../support/interchange/import-files.ts'
import { entriesOf, evidenceOf, keepingIn } from '../../../support/interchange/kept-evidence.ts'
import { promptfooExport, promptfooRow } from '../../../support/interchange/promptfoo-rows.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-media-'))))
afterEach(() => rmSync(folder, { recursive: true }))

// Bytes whose base64 has a plus and a slash, and ends in padding.
const BYTES = Buffer.from('fbeffffbeffffbefff89504e47', 'hex')
const BASE64 = BYTES.toString('base64')
const PART = `part:${digestOf(BYTES)}`
const URL = `data:image/png;base64,${BASE64}`

const turns = (...content: unknown[]) => JSON.stringify([{ role: 'user', content }])
const importRow = async (row: Readonly<Record<string, unknown>>, target = {}) => {
  const source = promptfooExport([promptfooRow(row)])
  const [result] = await importBytes('a.json', source, { ...keepingIn(folder), ...target })
  return result!
}
const imported = async (row: Readonly<Record<string, unknown>>) => {
  const result = await importRow(row)
  const parts = entriesOf(evidenceOf(result)).map(({ role, media_type, bytes }) => [role, media_type, bytes])
  return {
    item: result.document!.cases[0]!,
    parts,
    losses: lossesOf([result]).filter(({ kind }) => kind !== 'assumed'),
  }
}

describe('bytes in a message', () => {
  it.each([
    ['a data URL of OpenAI', { type: 'image_url', image_url: { url: URL } }, 'image/png'],
    ['a sound of OpenAI', { type: 'input_audio', input_audio: { data: BASE64, format: 'wav' } }, 'audio/wav'],
    [
      'a file of OpenAI',
      { type: 'file', file: { file_data: `data:application/pdf;base64,${BASE64}` } },
      'application/pdf',
    ],
    [
      'a source of Anthropic',
      { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: BASE64 } },
      'image/webp',
    ],
    ['inline data of Google', { inline_data: { mime_type: 'image/jpeg', data: BASE64 } }, 'image/jpeg'],
    ['inline data of Google in camel case', { inlineData: { mimeType: 'audio/mp3', data: BASE64 } }, 'audio/mp3'],
    ['a blob of OpenTelemetry', { type: 'blob', mime_type: 'video/mp4', content: BASE64 }, 'video/mp4'],
  ])('become a part, which its place names: %s', async (_, block, type) => {
    const { item, parts, losses } = await imported({ prompt: { raw: turns(block), label: 'l' } })
    expect(parts).toEqual([['input', type, BYTES.length]])
    expect(item.prompt).toEqual({ messages: [{ role: 'user', content: [{ type: 'text', text: PART }] }] })
    expect(losses).toEqual([])
  })

  it('are left out without evidence', async () => {
    const raw = turns({ type: 'image_url', image_url: { url: URL } })
    const [result] = await importBytes('a.json', promptfooExport([promptfooRow({ prompt: { raw, label: 'l' } })]))
    expect(JSON.stringify(result!.document!.cases[0]!.prompt)).toContain('[image left out]')
  })
})

describe('a block of a message', () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, 'text']))

  it('may have many members', () => {
    expect(takeMedia(many)).toBeNull()
    expect(takeMedia({ ...many, url: URL })).toEqual({ url: URL, rest: many })
    const move = Object.assign((value: Json) => value, { isPart: () => true })
    expect(transcriptContent([{ ...many, url: PART }], move)).toEqual([
      { ...many, type: 'file', part: digestOf(BYTES) },
    ])
  })

  it('names no part by a text of the source, unless the case has it', () => {
    const digests = new Set([digestOf(BYTES)])
    const move = Object.assign((value: Json) => value, { isPart: (digest: string) => digests.has(digest) })
    const own = `part:${'0'.repeat(64)}`
    expect(transcriptContent(own, move)).toBe(own)
    expect(transcriptContent([own, { type: 'image', data: own }, { type: 'image', data: PART }], move)).toEqual([
      { type: 'text', text: own },
      { type: 'data', data: { type: 'image', data: own } },
      { type: 'image', part: digestOf(BYTES) },
    ])
  })
})

describe('bytes in a case', () => {
  it('are parts by what they are of', async () => {
    const { item, parts } = await imported({
      vars: { picture: URL },
      testCase: { vars: { picture: URL } },
      response: { output: { images: [{ b64_json: BASE64 }] } },
      metadata: { screen: `data:image/gif;base64,${BASE64}` },
    })
    expect(item).toMatchObject({ vars: { picture: PART }, output: { images: [{ b64_json: PART }] } })
    // The same bytes are one part.
    expect(parts).toEqual([['input', 'image/png', BYTES.length]])
  })

  it.each([
    ['a text with a media type', { mime_type: 'text/plain', data: 'abcd' }],
    ['what is no base64', { mime_type: 'image/png', data: 'not base64!' }],
    ['base64 that would not be the same again', { mime_type: 'image/png', data: 'QQ==\n' }],
    ['the alphabet of URLs', { mime_type: 'image/png', data: BASE64.replaceAll('+', '-').replaceAll('/', '_') }],
    ['a member of another form', { data: 'abcdabcdabcdabcdabcd' }],
    ['a word in the place of a file', { file_data: 'Unfortunately+not+given' }],
    ['a word in a blob', { type: 'blob', content: 'README12README12' }],
    ['JSON', { mimeType: 'application/json', data: '1234'.repeat(20) }],
    ['another JSON', { type: 'blob', mime_type: 'application/ld+json', content: '1234'.repeat(20) }],
    ['a short word', { mime_type: 'image/png', data: 'none' }],
  ])('stay as they are: %s', async (_, output) => {
    const result = await importRow({ response: { output } })
    expect(result.document!.cases[0]!.output).toEqual(output)
    expect('run' in result && result.run.evidence).toBeNull()
  })

  it('are added as evidence to a run that was imported without', async () => {
    const row = { response: { output: { images: [{ b64_json: BASE64 }] } } }
    const before = await importBytes('a.json', promptfooExport([promptfooRow(row)]))
    const target = { ...targetWith(before), hasEvidence: async () => false }
    // Promptfoo has no transcripts, so it is asked for only with its original or when it is compared.
    const result = await importRow({ ...row, ...NEWER }, { target })
    expect(result.outcome).toBe('evidence_added')
  })
})

/** A member that changes the file, and nothing of its case that is compared. */
const NEWER = { metadata: { note: 'exported again' } }
