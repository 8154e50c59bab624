import { describe, expect, it } from 'vitest'
import { constant } from '../../../storage/sql.ts'
import { ask, askAll, runSync, runAsync, write, type Steps } from '../../../storage/commit/steps.ts'
import type { Query, Statement } from '../../../storage/storage.ts'

const rows = (table: string): Statement => ({ table, columns: [], rows: [] })

function* work(): Steps<string> {
  const first = yield* ask(constant(1))
  yield* write(rows('a'))
  const { two, three } = yield* askAll({ two: constant(2), three: constant('three') })
  yield* write(rows('b'))
  return `${first} ${two} ${three}`
}

/** Records the requests in order. */
const recorder = (fail: string | null = null) => {
  const requests: string[] = []
  const read = <T>(query: Query<T>): T => {
    const answer = query.shape([])
    requests.push(`read ${String(answer)}`)
    return answer
  }
  const run = (statement: Statement): void => {
    const { table } = statement as { readonly table: string }
    if (table === fail) throw new Error(`${table} failed`)
    requests.push(`run ${table}`)
  }
  return {
    requests,
    read,
    run,
    later: { read: async <T>(query: Query<T>) => read(query), run: async (statement: Statement) => run(statement) },
  }
}

const ORDER = ['read 1', 'run a', 'read 2', 'read three', 'run b']

describe('steps', () => {
  it('give the same result on a synchronous and an asynchronous database', async () => {
    const [now, later] = [recorder(), recorder()]
    expect(runSync(work(), now)).toBe('1 2 three')
    expect(await runAsync(work(), later.later)).toBe('1 2 three')
    expect(now.requests).toEqual(ORDER)
    expect(later.requests).toEqual(ORDER)
  })

  it('end with the first step that fails', async () => {
    const [now, later] = [recorder('a'), recorder('a')]
    expect(() => runSync(work(), now)).toThrow('a failed')
    await expect(runAsync(work(), later.later)).rejects.toThrow('a failed')
    expect(now.requests).toEqual(['read 1'])
    expect(later.requests).toEqual(['read 1'])
  })
})
