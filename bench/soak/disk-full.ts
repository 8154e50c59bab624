import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyLog } from '../../maintenance/verify/log.ts'
import { benchDocument } from '../documents.ts'
import { startSoakServer, temporaryFolder } from './server.ts'
import type { SoakServer } from './server.ts'
import { MIB, wait } from './soak.ts'
import type { Ground } from './soak.ts'

const DISK_MIB = 64
const BALLAST_MIB = 24

/**
 * A state directory on a small disk: full, it answers 503 and goes on reading; with room again it goes on writing.
 * Needs the right to mount.
 */
export const diskFull = async ({ say, expect, fail, seed }: Ground): Promise<void> => {
  const disk = join(temporaryFolder(), 'disk')
  mkdirSync(disk)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', disk]).status !== 0)
    return fail('cannot mount a tmpfs (it takes root): nothing was measured')
  try {
    await onDisk(disk, { say, expect, fail, seed })
  } finally {
    spawnSync('umount', ['-l', disk])
  }
}

type Uploaded = { readonly status: number; readonly retryAfter: string | null }

const onDisk = async (disk: string, { say, expect }: Ground): Promise<void> => {
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
    await answer.text()
    if (answer.status === 201) stored.push(`bench-${String(n).padStart(8, '0')}`)
    return { status: answer.status, retryAfter: answer.headers.get('retry-after') }
  }
  /** Four lanes until the disk has been full for a while. */
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
  const inOrder = async (when: string): Promise<void> => {
    const { finding, documents } = await verifyLog(join(server.dataDir, 'service.db'), null)
    expect(
      finding === null && documents === stored.length,
      `verify ${when}: ${finding?.message ?? 'clean'}, ${documents} of ${stored.length} documents`,
    )
  }

  try {
    for (const round of ['first', 'second']) {
      const refused = await fill()
      const proper = refused.every(({ status, retryAfter }) => status === 503 && retryAfter !== null)
      expect(
        proper,
        `${round} time full after ${stored.length} runs: ${refused.length} uploads answered ${[...new Set(refused.map(({ status }) => status))].join(', ')} with Retry-After`,
      )
      await readsStayUp(server, stored, expect)
      await inOrder(`on the full disk`)
      if (round === 'second') break
      rmSync(ballast)
      await wait(100)
      const { status } = await upload()
      expect(status === 201 && server.isAlive(), `with room again, without a restart: ${status}`)
    }
  } finally {
    const code = await server.stop()
    say(`the server ended with ${code}`)
  }
  await inOrder('after the stop')
  const again = await startSoakServer({ dataDir: server.dataDir }).catch((error: Error) => error)
  if (again instanceof Error) {
    // A start records itself, which a full disk may refuse: it must say so.
    expect(
      /FULL|full/.test(again.message),
      `a start on the full disk is refused in words: ${again.message.slice(0, 160)}`,
    )
  } else {
    await readsStayUp(again, stored, expect)
    await again.stop()
  }
}

const readsStayUp = async (
  { url, headers }: SoakServer,
  stored: readonly string[],
  expect: Ground['expect'],
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
