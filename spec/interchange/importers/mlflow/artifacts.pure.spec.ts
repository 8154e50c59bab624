import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sha256 } from '../../../../interchange/document/identity.ts'
import { importFile, lossesOf, SAMPLES } from '../../../support/interchange/import-files.ts'
import { bytesOf, entriesOf, evidenceOf, keepingIn, transcriptsOf } from '../../../support/interchange/kept-evidence.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-mlflow-artifacts-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const TRACE = 'tr-d61442711de5d2491c08101053596bb2'
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const ID = '1ec43bfb-6191-48ce-a726-724a3c0837b5'
const attachment = `mlflow-attachment://${ID}?content_type=image%2Fpng&trace_id=${TRACE}&size=${PICTURE.length}`

/** Makes a database whose first trace asked a model with an attachment, and files in the folder around it. */
const databaseWith = (files: Readonly<Record<string, Uint8Array | string>>, location?: string): string => {
  const path = join(folder, 'source', 'mlflow.db')
  const all = { ...files, 'source/mlflow.db': gunzipSync(readFileSync(join(SAMPLES, 'mlflow', 'mlflow-3.17.db.gz'))) }
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  const database = new Database(path)
  const stored = database.prepare('SELECT content FROM spans WHERE trace_id = ?').pluck().get(TRACE) as string
  const span = JSON.parse(stored) as { attributes: object }
  const content = [{ type: 'image_url', image_url: { url: attachment } }]
  const own = { 'mlflow.spanInputs': JSON.stringify({ messages: [{ role: 'user', content }] }) }
  const attributes = { ...span.attributes, 'mlflow.spanType': '"CHAT_MODEL"', ...own }
  database
    .prepare('UPDATE spans SET content = ? WHERE trace_id = ?')
    .run(JSON.stringify({ ...span, attributes }), TRACE)
  if (location !== undefined)
    database
      .prepare("UPDATE trace_tags SET value = ? WHERE key = 'mlflow.artifactLocation' AND request_id = ?")
      .run(location, TRACE)
  database.close()
  return path
}

const OWN = `1/traces/${TRACE}/artifacts`
const filesAt = (place: string) => ({
  [`${place}/attachments/${ID}`]: PICTURE,
  [`${place}/report/notes.json`]: '{"notes": 1}',
})

/** What an import takes of the trace: its parts but the transcripts, what the message shows, and what is lost of files. */
const takenFrom = async (path: string, options: { readonly files?: string } = {}) => {
  const results = await importFile(path, keepingIn(folder, options))
  const evidence = evidenceOf(results[0])
  const lines = transcriptsOf(evidence).find(([head]) => JSON.stringify(head).includes(TRACE))!
  const found = entriesOf(evidence).filter(({ role }) => role !== 'transcript')
  return {
    parts: found.map(({ role, name, media_type: type }) => [role, name, type]),
    bytes: found.map(({ sha256 }) => bytesOf(evidence, sha256)),
    shown: lines.find(({ type }) => type === 'message')?.['content'],
    vars: results[0]!.document!.cases.map(({ vars }) => JSON.stringify(vars)).join(' '),
    lost: lossesOf(results).flatMap(({ path: at, note }) => (at === '(media)' || at === '(artifacts)' ? [note] : [])),
  }
}

it.each([
  ['of the database on another machine', 'source/mlruns', undefined],
  ['of a server', 'source/mlartifacts', `mlflow-artifacts:/${OWN}`],
  ['below the folder of the database', 'source/my store', 'FOLDER/source/my store'],
  ['as an address of a file', 'source/store', 'file://FOLDER/source/store'],
  ['below that folder, as a relative path', 'source/store', './store'],
])('the files of a trace are parts of its case: a place %s', async (_, place, location) => {
  const named = location?.includes('traces') === false ? `${location}/${OWN}` : location
  const path = databaseWith(filesAt(`${place}/${OWN}`), named?.replace('FOLDER', folder))
  const { parts, bytes, shown, vars, lost } = await takenFrom(path)
  expect(parts).toEqual([
    ['input', ID, 'image/png'],
    ['other', 'artifacts/report/notes.json', 'application/json'],
  ])
  expect(bytes[0]).toEqual(PICTURE)
  const part = sha256(PICTURE)
  expect(shown).toEqual([{ type: 'image', part, form: 'image_url' }])
  expect(vars).toContain(`part:${part}`)
  expect(lost).toEqual([])
})

const MISSING = expect.stringMatching('an attachment of MLflow that is in no folder of the import') as string

it.each([
  ['outside of the folder of the database', `outside/${OWN}`, `FOLDER/outside/${OWN}`],
  ['that leads out of it', `outside/${OWN}`, `../outside/${OWN}`],
  ['of another trace', 'source/mlruns/1/traces/tr-1/artifacts', 'FOLDER/source/mlruns/1/traces/tr-1/artifacts'],
  ['of another form', 'source/private', 'FOLDER/source/private'],
])('nothing is read from a place %s', async (_, place, location) => {
  const { parts, shown, lost } = await takenFrom(databaseWith(filesAt(place), location.replace('FOLDER', folder)))
  expect(parts).toEqual([])
  expect(JSON.stringify(shown)).toContain(attachment)
  expect(new Set(lost)).toEqual(new Set([MISSING]))
})

it('attachments are found in the folder of the traces of an experiment that the import names', async () => {
  const path = databaseWith(filesAt(`elsewhere/${OWN}`))
  const { parts, lost } = await takenFrom(path, { files: join(folder, 'elsewhere', '1', 'traces') })
  expect({ parts, lost }).toEqual({ parts: [['input', ID, 'image/png']], lost: [] })
})

it.each([
  ['are the transcript of a trace that has none in the database', 'DELETE FROM spans', 'CHAT_MODEL', 'model'],
  ['do not replace those of the database', 'SELECT 1', 'TOOL', 'model'],
])('spans in a file of the trace %s', async (_, sql, type, expected) => {
  const attributes = { 'mlflow.spanType': JSON.stringify(type), 'mlflow.spanInputs': '"Lima?"' }
  const spans = [{ span_id: '1', parent_id: null, name: 'call', attributes, events: [] }]
  const path = databaseWith({ [`source/mlruns/${OWN}/traces.json`]: JSON.stringify({ spans }) })
  const database = new Database(path)
  database.exec(sql)
  database.close()
  const evidence = evidenceOf((await importFile(path, keepingIn(folder)))[0])
  const lines = transcriptsOf(evidence).find(([head]) => JSON.stringify(head).includes(TRACE))!
  expect(lines.map((line) => line['type'])).toContain(expected)
  expect(entriesOf(evidence).map(({ name }) => name)).toContain('artifacts/traces.json')
})

it('a file of spans that is no JSON is recorded, and the rest is kept', async () => {
  const path = databaseWith({ [`source/mlruns/${OWN}/traces.json`]: '{"spans": [' })
  const database = new Database(path)
  database.exec('DELETE FROM spans')
  database.close()
  const [result] = await importFile(path, keepingIn(folder))
  expect(result!.document!.cases).toHaveLength(3)
  expect(lossesOf([result!])).toContainEqual(expect.objectContaining({ path: '(spans)', kind: 'left_out' }))
})

it('links are not followed', async () => {
  const place = `source/mlruns/${OWN}`
  const path = databaseWith({ 'outside/secret.txt': 'secret', [`${place}/a.txt`]: 'own' })
  mkdirSync(join(folder, place, 'attachments'))
  for (const name of ['b.txt', `attachments/${ID}`])
    symlinkSync(join(folder, 'outside', 'secret.txt'), join(folder, place, name))
  symlinkSync(join(folder, 'outside'), join(folder, place, 'c'))
  const { parts, lost } = await takenFrom(path)
  expect(parts).toEqual([['other', 'artifacts/a.txt', 'text/plain; charset=utf-8']])
  expect(lost).toEqual(expect.arrayContaining(['a link, which is not followed', MISSING]))
})

it('a folder that is a link is not read', async () => {
  const path = databaseWith(filesAt(`outside/${OWN}`))
  symlinkSync(join(folder, 'outside'), join(folder, 'source', 'mlruns'))
  expect((await takenFrom(path)).parts).toEqual([])
})
