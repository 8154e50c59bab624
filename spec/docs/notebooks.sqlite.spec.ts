import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { connect } from '../../clients/typescript/src/index.ts'
import { bareEnvironment } from '../support/bare-environment.ts'
import { hasPython } from '../support/clients.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'
import { programOf } from '../support/notebook.ts'
import { startServer } from '../support/servers/server.ts'

const CLIENT = fileURLToPath(new URL('../../clients/python/src', import.meta.url))
const isHere = await hasPython('pandas', 'pyarrow', 'duckdb')

it(`docs/notebooks.md runs from top to bottom${isHere ? '' : ' (no pandas or DuckDB here: not run)'}`, async () => {
  const program = programOf(new URL('../../docs/notebooks.md', import.meta.url))
  expect(program).toContain('read_parquet')
  if (!isHere) return
  const server = await startServer()
  const folder = mkdtempSync(join(tmpdir(), 'ers-notebook-'))
  try {
    const ers = connect({ url: server.url, token: server.token })
    for (const [run_id, status] of [
      ['first/run', 'pass'],
      ['second', 'fail'],
    ] as const) {
      const cases = ['a', 'b'].map((test_id) =>
        aCase({ cell: { test_id }, status: test_id === 'a' ? status : 'pass', vars: { question: test_id } }),
      )
      const finished_at = `2026-05-0${run_id === 'second' ? 5 : 4}T09:00:01Z`
      await ers.uploadRun(aDocument({ run_id, cases, finished_at }))
    }
    const { stdout } = await promisify(execFile)('python3', ['-c', program], {
      cwd: folder,
      env: {
        ...bareEnvironment(),
        PYTHONPATH: CLIENT,
        PYTHONDONTWRITEBYTECODE: '1',
        SERVICE_SERVER_URL: server.url,
        SERVICE_TOKEN: server.token,
      },
    })
    expect(stdout).toContain('too_few 1 0 1')
    expect(stdout).toContain(' blocks ran')
  } finally {
    rmSync(folder, { recursive: true })
    await server.stop()
  }
})
