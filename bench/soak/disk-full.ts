import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyLog } from '../../maintenance/verify/log.ts'
import { benchDocument } from '../documents.ts'
import { startSoakServer, temporaryFolder, type SoakServer } from './server.ts'
import { MIB, wait, type SoakContext } from './soak.ts'

const DISK_MIB = 64
const BALLAST_MIB = 24

/**
 * A state directory on a small disk. When the disk is full, uploads get 503 and reads still work. After space is freed,
 * uploads work again without a restart. Needs permission to mount.
 */
export const diskFull = async ({ print, expect, fail, seed }: SoakContext): Promise<void> => {
  const disk = join(temporaryFolder(), 'disk')
  mkdirSync(disk)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', disk]).status !== 0)
    return fail('cannot mount a tmpfs (it needs root): nothing was measured')
  try {
    await fillDisk(disk, { print, expect, fail, seed })
  } finally {
    spawnSync('umount', ['-l', disk])
  }
}

type Uploaded = { readonly status: number; readonly retryAfter: string | null; readonly text: string }

const fillDisk = async (disk: string, { print, expect }: SoakContext): Promise<void> => {
  const ballast = join(disk, 'ballast')
  writeFileSync(ballast, Buffer.alloc(BALLAST_MIB * MIB))
  const server = await startSoakServer({ dataDir: join(disk, 'state') })
  const stored: string[] = []
  let next = 0

  const upload = async (): Promise<Uploaded> => {
    const n = next++
    const answer = await fetch(`${server.url}/api/v1/runs`, {
      method: 'POST',
      headers: server.headers,
      body: benchDocument(n),
    })
    const text = await answer.text()
    if (answer.status === 201) stored.push(`bench-${String(n).padStart(8, '0')}`)
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text }
  }
  /** Lets four concurrent clients upload until 40 uploads were refused. */
  const fill = async (): Promise<Uploaded[]> => {
    const refused: Uploaded[] = []
    const lane = async (): Promise<void> => {
      while (refused.length < 40) {
        const answer = await upload()
        if (answer.status !== 201) refused.push(answer)
      }
    }
    await Promise.all(Array.from({ length: 4 }, lane))
    return refused
  }
  const expectCleanLog = async (when: string): Promise<void> => {
    const { finding, documents } = await verifyLog(join(server.dataDir, 'service.db'), null)
    expect(
      finding === null && documents === stored.length,
      `verify ${when}: ${finding?.message ?? 'clean'}, ${documents} of ${stored.length} documents`,
    )
  }

  try {
    for (const round of ['first', 'second']) {
      const refused = await fill()
      const isProper = refused.every(
        ({ status, retryAfter, text }) => status === 503 && retryAfter !== null && text.includes('disk'),
      )
      expect(
        isProper,
        `disk full for the ${round} time after ${stored.length} runs: ${refused.length} uploads refused with status ${[...new Set(refused.map(({ status }) => status))].join(', ')} and Retry-After`,
      )
      await expectReadsWork(server, stored, expect)
      const ready = await (await fetch(`${server.url}/api/v1/ready`)).text()
      expect(ready.includes('disk'), `readiness names the disk: ${ready}`)
      const deleted = stored.pop() ?? ''
      const { status: gone } = await fetch(`${server.url}/api/v1/runs/${deleted}`, {
        method: 'DELETE',
        headers: server.headers,
      })
      expect(gone < 300, `a run can be deleted on the full disk: status ${gone}`)
      await expectCleanLog(`on the full disk`)
      if (round === 'second') break
      rmSync(ballast)
      await wait(100)
      const { status } = await upload()
      expect(status === 201 && server.isAlive(), `an upload after space was freed, without a restart: status ${status}`)
    }
  } finally {
    const code = await server.stop()
    print(`the server ended with ${code}`)
  }
  await expectCleanLog('after the stop')
  const restarted = await startSoakServer({ dataDir: server.dataDir }).catch((error: Error) => error)
  if (restarted instanceof Error) {
    // A start writes an event, which may fail on a full disk. Then the error must name the cause.
    expect(
      /FULL|full/.test(restarted.message),
      `a start on the full disk fails with a clear error: ${restarted.message.slice(0, 160)}`,
    )
  } else {
    await expectReadsWork(restarted, stored, expect)
    await restarted.stop()
  }
}

const expectReadsWork = async (
  { url, headers }: SoakServer,
  stored: readonly string[],
  expect: SoakContext['expect'],
): Promise<void> => {
  const last = stored.at(-1) ?? ''
  const paths = [
    '/runs',
    `/runs/${last}`,
    `/runs/${last}/cases`,
    `/runs/${last}/matrix`,
    `/runs/${last}/export`,
    '/search?q=refund',
    `/runs/${last}/compare/${stored[0] ?? ''}`,
  ]
  const statuses = await Promise.all(
    paths.map(async (path) => (await fetch(`${url}/api/v1${path}`, { headers })).status),
  )
  expect(
    statuses.every((status) => status === 200),
    `reads: ${statuses.join(' ')}`,
  )
}
