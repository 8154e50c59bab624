import { expect, it } from 'vitest'
import { openApp } from '../support/app.ts'
import { realDocuments, theExample } from '../support/documents.ts'
it('smokes', async () => {
  const a = await openApp()
  const r = await a.ingest(theExample())
  expect(r.statusCode).toBe(201)
  console.log(r.body, (await a.as('read')('GET', '/runs')).body)
  for (const { name, bytes } of realDocuments()) { const r = await a.ingest(bytes); if (r.statusCode !== 201) console.log(name, r.statusCode, r.body) }
  await a.close()
})
