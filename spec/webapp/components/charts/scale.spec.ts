import { describe, expect, it } from 'vitest'
import { bandPath, dayLabels, labelled, linePath, stepX } from '../../../../webapp/components/charts/scale.ts'

it('stepX places points in equal steps, and a single one in the middle', () => {
  expect([0, 1, 2].map((i) => stepX(i, 3, 10, 110))).toEqual([10, 60, 110])
  expect(stepX(0, 1, 10, 110)).toBe(60)
})

it('paths are the data of an SVG path', () => {
  expect(linePath([])).toBe('')
  expect(
    linePath([
      [0, 1.25],
      [10, 2],
    ]),
  ).toBe('M0 1.3L10 2')
  expect(bandPath([], [])).toBe('')
  expect(
    bandPath(
      [
        [0, 1],
        [9, 2],
      ],
      [
        [0, 5],
        [9, 6],
      ],
    ),
  ).toBe('M0 1L9 2L9 6L0 5Z')
})

describe('labelled', () => {
  it('returns as many indexes as there is room for, the newest always', () => {
    expect(labelled(0, 500, 50)).toEqual([])
    expect(labelled(1, 500, 50)).toEqual([0])
    expect(labelled(11, 500, 100)).toEqual([0, 2, 4, 6, 8, 10])
    expect(labelled(12, 500, 100)).toEqual([2, 5, 8, 11])
  })
  it('returns one index without any room', () => expect(labelled(5, 0, 50)).toEqual([4]))
})

describe('dayLabels', () => {
  it('shows the year where it differs from the one before', () =>
    expect(
      dayLabels(['2025-12-30T23:30:00Z', '2025-12-31T09:00:00Z', '2026-01-01T00:00:00Z'], [0, 1, 2], 'UTC', 2026),
    ).toEqual([
      { index: 0, text: '30 Dec 2025' },
      { index: 1, text: '31 Dec' },
      { index: 2, text: '1 Jan 2026' },
    ]))
  it('shows hours on an axis of less than two days, and the day where it begins', () => {
    const times = ['2026-02-09T21:30:00Z', '2026-02-09T22:40:00Z', '2026-02-09T23:05:00Z', '2026-02-10T07:00:00Z']
    const texts = (timeZone: string): string[] => dayLabels(times, [0, 1, 2, 3], timeZone, 2026).map(({ text }) => text)
    expect(texts('UTC')).toEqual(['9 Feb, 21:30', '22:40', '23:05', '10 Feb, 07:00'])
    expect(texts('Europe/Berlin')).toEqual(['9 Feb, 22:30', '23:40', '10 Feb, 00:05', '08:00'])
  })
  it('shows each day once on a longer axis, and days where none repeats', () => {
    const texts = (...times: string[]): string[] =>
      dayLabels(times, [...times.keys()], 'UTC', 2026).map(({ text }) => text)
    expect(texts('2026-02-09T08:00:00Z', '2026-02-09T20:00:00Z', '2026-02-11T08:00:00Z')).toEqual(['9 Feb', '11 Feb'])
    expect(texts('2026-02-09T08:00:00Z', '2026-02-10T08:00:00Z')).toEqual(['9 Feb', '10 Feb'])
  })
  it('leaves out the current year', () =>
    expect(dayLabels(['2026-02-09T00:00:00Z'], [0, 7], 'UTC', 2026)).toEqual([{ index: 0, text: '9 Feb' }]))
})
