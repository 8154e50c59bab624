import { describe, expect, it } from 'vitest'
import { newLosses } from '../../../../interchange/document/losses.ts'
import { sourceTime } from '../../../../interchange/document/time/source-time.ts'
import { importBytes, lossesOf } from '../../../support/interchange/import-files.ts'
import { promptfooExport, promptfooRow } from '../../../support/interchange/promptfoo-rows.ts'

const importedAt = Date.parse('2026-05-05T12:00:00Z')

/** A time that was read, and what was recorded. */
const read = (value: unknown, options: Parameters<typeof sourceTime>[1] = { importedAt, timeZone: 'UTC' }) => {
  const losses = newLosses()
  return [sourceTime(value, options, losses, 'at'), ...losses.all().map(({ kind }) => kind)]
}

describe('the time of a source', () => {
  it.each([
    ['milliseconds', 1_777_885_200_000, ['2026-05-04T09:00:00.000Z']],
    ['milliseconds as text', '1777885200000', ['2026-05-04T09:00:00.000Z']],
    ['seconds', 1_777_885_200, ['2026-05-04T09:00:00.000Z', 'assumed']],
    ['seconds with a fraction', 1_777_885_200.25, ['2026-05-04T09:00:00.250Z', 'assumed']],
    ['microseconds', 1_777_885_200_000_000, ['2026-05-04T09:00:00.000Z', 'assumed']],
    ['nanoseconds', '1777885200000000000', ['2026-05-04T09:00:00.000Z', 'assumed']],
    ['a text', '2026-05-04T09:00:00Z', ['2026-05-04T09:00:00Z']],
    ['a day after the import', '2026-05-06T12:00:00Z', ['2026-05-06T12:00:00Z']],
    ['more than a day after the import', '2026-05-06T12:00:01Z', [null, 'left_out']],
    ['a number far in the future', 4_070_908_800_000, [null, 'left_out']],
    ['1970', '1970-01-01T00:00:00', [null, 'left_out']],
    ['1980, the first year of some archives', '1980-01-01T00:00:00Z', [null, 'left_out']],
    ['the year 1', '0001-01-01T00:00:00Z', [null, 'left_out']],
    ['the last moment before 2000', '1999-12-31T23:59:59Z', [null, 'left_out']],
    ['the first one of 2000', '2000-01-01T00:00:00Z', ['2000-01-01T00:00:00Z']],
    ['0, which tools write for unknown', 0, [null]],
    ['a negative number', -1, [null, 'left_out']],
    ['no time', 'yesterday', [null]],
    ['nothing', null, [null]],
  ])('reads %s', (_, value, expected) => {
    expect(read(value)).toEqual(expected)
  })

  it('is any from 2000 to 2100 if the time of the import is not given', () => {
    expect(read('2099-01-01T00:00:00Z', {})).toEqual(['2099-01-01T00:00:00Z'])
    expect(read(4_070_908_800, {})).toEqual(['2099-01-01T00:00:00.000Z', 'assumed'])
    expect(read('2101-01-01T00:00:00Z', {})).toEqual([null, 'left_out'])
  })
})

describe('a run whose source has a wrong clock', () => {
  const imported = async (timestamp: string, createdAt?: string) => {
    const file = promptfooExport([promptfooRow()], { results: { timestamp } })
    const results = await importBytes('a.json', file, { importedAt, createdAt })
    return { result: results[0]!, losses: lossesOf(results) }
  }

  it('has the time of the option, and says so', async () => {
    for (const timestamp of ['2099-01-01T00:00:00Z', '1970-01-01T00:00:00Z']) {
      const { result, losses } = await imported(timestamp, '2026-05-01T00:00:00Z')
      expect(result.document?.run.finished_at).toBe('2026-05-01T00:00:00Z')
      expect(losses.map(({ example }) => example)).toContain(timestamp)
    }
  })

  it('is refused if nothing else has a time, with what to do', async () => {
    const { result } = await imported('2099-01-01T00:00:00Z')
    expect(result).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('--created-at') as string })
  })
})
