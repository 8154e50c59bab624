import { writeSync } from 'node:fs'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { listInPlace } from '../../../queries/runs/moves.ts'
import { openPartStore } from '../../../runtime/evidence/part-store.ts'
import { openMover } from '../../../runtime/moves/mover.ts'
import { openService } from '../../../runtime/open-service.ts'
import { findLogIdentity } from '../../../storage/log/head.ts'
import { smallDocument } from '../documents/small-document.ts'
import { bucketOf, settingsOf } from '../s3/buckets.ts'
import { PART_LIMITS } from '../servers/part-limits.ts'
import { wrapCalls } from '../wrap-calls.ts'

// Records runs, moves their documents, deletes one and moves another back, and kills itself at a step. What it has done it writes to its standard
// output.

const [dataDir = '', point = '', url = ''] = process.argv.slice(2)
const reach = (step: string): void => {
  if (step === point) process.kill(process.pid, 'SIGKILL')
}
const say = (line: string): void => void writeSync(1, `${line};\n`)

const location = { settings: settingsOf(url), movesDocuments: true }
const service = await openService({ dataDir, bucket: location })
const commit = wrapCalls(service.commit, async ({ name, run }) => {
  reach(`before ${name}`)
  const result = await run()
  reach(`after ${name}`)
  return result
})
const { reader } = service
const bucket = bucketOf(url, { identity: async () => reader.read(findLogIdentity), observe: reach })
const partStore = openPartStore({ reader, commit, now: Date.now, partsFolder: null, bucket }, PART_LIMITS)
const mover = openMover({ reader, commit, now: Date.now, holder: 'killed', bucket, partStore, observe: reach })

for (const run_id of ['stays', 'goes', 'returns']) {
  await commit.ingestRun(SYSTEM, { body: new TextEncoder().encode(smallDocument(run_id)), encoding: null })
  say(`stored ${run_id}`)
}
await mover.moveWaiting(new AbortController().signal)
say('deletes goes')
await commit.deleteRun(SYSTEM, { run_id: 'goes' })
await partStore.removeDropped()
const [, last] = await reader.read(listInPlace('objects', { after: 0, before: null, limit: 2 }))
if (!last) throw new Error('two documents were moved')
await mover.returnRun(last)
await service.close()
