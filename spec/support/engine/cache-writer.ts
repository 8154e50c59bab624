import * as files from 'node:fs/promises'
import { diskCacheClient } from '../../../engine/cache/disk-client.ts'

// A process that writes entries to a cache directory: `cache-writer.ts <directory> <name> <number of keys>`. It writes
// one line to stdout for each entry that it stored: the number of the key.

const [directory = '', writer = '', keys = ''] = process.argv.slice(2)
const client = diskCacheClient({ directory, files, writer: String(process.pid) })
for (let number = 0; number < Number(keys); number++) {
  const key = `sha256:${String(number).padStart(64, '0')}`
  const body = JSON.stringify({ created_at: '2026-01-01T00:00:00Z', output: writer.repeat(20_000), number })
  if (await client.put(key, Buffer.from(body))) process.stdout.write(`${number}\n`)
}
