import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { digestOf } from '../../../support/documents/parts.ts'
import { importFile, lossesOf } from '../../../support/interchange/import-files.ts'
import { bytesOf, entriesOf, evidenceOf, keepingIn } from '../../../support/interchange/kept-evidence.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-markdown-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const PICTURE = Buffer.from('a picture of the map of Peru')
const importAnswer = async (output: string) => {
  const source = join(folder, 'source')
  mkdirSync(join(source, 'shots'), { recursive: true })
  writeFileSync(join(source, 'shots', 'a.png'), PICTURE)
  writeFileSync(join(source, 'secret.env'), 'TOKEN=1')
  writeFileSync(join(folder, 'outside.png'), 'outside')
  rmSync(join(source, 'link.png'), { force: true })
  symlinkSync(join(folder, 'outside.png'), join(source, 'link.png'))
  const path = join(source, 'base.json')
  const run = {
    example_id: 'e',
    repetition_number: 1,
    input: { q: 1 },
    output,
    annotations: [],
    start_time: '2026-03-02T09:00:00Z',
  }
  writeFileSync(path, JSON.stringify([run]))
  return (await importFile(path, keepingIn(folder)))[0]!
}

it('a picture in Markdown becomes a part, and stays in the text, from which the page draws it', async () => {
  const url = `data:image/png;base64,${PICTURE.toString('base64')}`
  const result = await importAnswer(`See ![the map](${url}) and [again](${url} "title").`)
  const digest = digestOf(PICTURE)
  expect(result.document!.cases[0]!.output).toBe(`See ![the map](${url}) and [again](${url} "title").`)
  expect(entriesOf(evidenceOf(result))).toMatchObject([{ sha256: digest, role: 'output', media_type: 'image/png' }])
  expect(bytesOf(evidenceOf(result), digest)).toEqual(PICTURE)
})

it('a picture in a file next to the source becomes a part, and the text stays', async () => {
  const text = 'See ![the map](shots/a.png).'
  const result = await importAnswer(text)
  expect(result.document!.cases[0]!.output).toBe(text)
  expect(entriesOf(evidenceOf(result))).toMatchObject([{ sha256: digestOf(PICTURE), name: 'a.png', role: 'output' }])
})

it.each(['secret.env', '../outside.png', '/etc/passwd', 'link.png', 'https://host/a.png', 'none.png'])(
  'no other file is read for Markdown, which a model wrote: %s',
  async (path) => {
    const result = await importAnswer(`![x](${path})`)
    expect(result.outcome).toBe('converted')
    if ('run' in result) expect(result.run.evidence).toBeNull()
    expect(lossesOf([result]).filter(({ kind }) => kind === 'left_out')).toEqual([])
  },
)
