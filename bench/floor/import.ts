import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { openFloor } from './store.ts'

// The import of the reference program: all documents of a folder, one after another in a single thread.

const [dataDir = '.', source = '.'] = process.argv.slice(2)
const { db, ingest } = openFloor(dataDir)
for (const name of readdirSync(source).sort()) ingest(gunzipSync(readFileSync(join(source, name))))
db.close()
