import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillTree } from '../../../maintenance/rebuild/tree.ts'
import { treeInFile } from '../../../maintenance/rebuild/tree-sqlite.ts'
import { event } from '../../../storage/log/event.ts'
import { storeNode } from '../../../storage/log/nodes.ts'
import { openSqliteWriter, type SqliteWriter } from '../../../storage/sqlite/storage.ts'
import type { AnyCommand } from '../../../storage/command.ts'
import type { Print } from '../../measures.ts'
import { RECORDS, writeLogFile } from './written-log.ts'

const COMMITS = 2000
/** One record in 256 completes a node. */
const RECORDS_PER_NODE = 256

/**
 * Fills the nodes of a log of 1,000,000 records on SQLite, as the first start after an upgrade does, and measures which
 * part of the smallest commit the nodes take. The goals are 3 s, and a ratio of 0.98.
 */
export const nodes = async (print: Print): Promise<void> => {
  const dir = mkdtempSync(join(tmpdir(), 'ers-nodes-'))
  const file = join(dir, 'service.db')
  writeLogFile(file)
  const writer = openSqliteWriter({ file, project: () => [], now: Date.now, instance: 'bench' })
  try {
    const [from, cpuBefore] = [performance.now(), process.cpuUsage()]
    await fillTree(treeInFile(writer))
    const seconds = (performance.now() - from) / 1000
    const cpu = process.cpuUsage(cpuBefore)
    print('| records | nodes filled in s | CPU s |')
    print('|---|---|---|')
    print(`| ${RECORDS} | ${seconds.toFixed(2)} | ${((cpu.user + cpu.system) / 1e6).toFixed(2)} |`)
    print('')
    const { commitMs, nodeMs } = timesOf(writer)
    const ratio = commitMs / (commitMs + nodeMs / RECORDS_PER_NODE)
    print('| ms a commit of one small record | ms a node | commits with nodes against without |')
    print('|---|---|---|')
    print(`| ${commitMs.toFixed(3)} | ${nodeMs.toFixed(3)} | ${ratio.toFixed(4)} |`)
  } finally {
    writer.close()
    rmSync(dir, { recursive: true })
  }
}

/** The time of a commit of one record, and of storing a node in a transaction that is open anyway. */
const timesOf = ({ commitGroup, connection, exclusively }: SqliteWriter) => {
  const command: AnyCommand = {
    actor: { address: null, credential_id: null, kind: 'system', scope: null, user_id: null },
    request_id: null,
    bytes: 0,
    prepare: () => null,
    facts: () => ({}),
    decide: () => [event('service/bench', 'Started', {})],
    result: () => null,
  }
  const commitsFrom = performance.now()
  for (let n = 0; n < COMMITS; n++) commitGroup([{ command, prepared: null }])
  const commitMs = (performance.now() - commitsFrom) / COMMITS
  const hash = Buffer.alloc(32)
  const nodeMs = exclusively(() => {
    const from = performance.now()
    for (let n = 0; n < COMMITS; n++) connection.run(storeNode({ level: 9, n, hash }))
    return (performance.now() - from) / COMMITS
  })
  return { commitMs, nodeMs }
}
