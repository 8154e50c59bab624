import { moveOnReplicas } from '../../spec/support/moves/three-replicas.ts'
import { startPostgres } from '../../spec/support/postgres/server.ts'
import { startS3Server } from '../../spec/support/s3/stand-in.ts'
import { setting, type SoakContext } from './soak.ts'

/**
 * Three replicas on PostgreSQL move documents into a bucket amid uploads, reads and deletions, and one is killed. Every read must be right, and each
 * run must have one object and no frames afterwards.
 */
export const moves = async ({ print, fail }: SoakContext): Promise<void> => {
  const runs = setting('SOAK_MOVES', 10_000)
  const server = await startPostgres()
  try {
    await using s3 = await startS3Server()
    const url = server.url()
    for (const problem of await moveOnReplicas({ appUrl: url, superUrl: url }, s3, runs)) fail(problem)
    print(`${runs} runs: see above for what is wrong`)
  } finally {
    await server.stop()
  }
}
