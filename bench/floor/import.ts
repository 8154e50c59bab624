import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { openFloor } from './store.ts'

// The yardstick's import: every document of a folder, one after the other in this one thread.

const [dataDir = '.', source = '.'] = process.argv.slice(2)
const { db, ingest } = openFloor(dataDir)
for (const name of readdirSync(source).sort()) ingest(gunzipSync(readFileSync(join(source, name))))
db.close()
