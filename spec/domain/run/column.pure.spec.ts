import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  comparedShape,
  csvColumns,
  factsFrom,
  readShape,
  shownFields,
  shownShape,
  storedShape,
} from '../../../domain/run/column.ts'
import type { Column } from '../../../domain/run/column.ts'

type Source = { readonly text: string; readonly micro: number | null }
const number = z.number().nullable()

const columns = {
  id: { stored: z.string(), from: ({ text }) => text, shown: 'list', csv: 'run_id' },
  cost_micro: { stored: number, from: ({ micro }) => micro, compared: 'total' },
  cost: {
    shown: 'list',
    as: {
      type: number.optional(),
      reads: ['cost_micro'],
      value: ({ cost_micro }: { readonly cost_micro: number | null }) =>
        cost_micro === null ? undefined : cost_micro / 1e6,
    },
    csv: { name: 'cost_usd', value: ({ cost }: { readonly cost?: number }) => cost ?? 'unknown' },
  },
  row_no: { stored: z.number(), shown: 'detail', csv: 'number' },
} satisfies Record<string, Column<Source, 'list' | 'detail'>>

describe('a description of columns', () => {
  it('has the columns of the table, those of a comparison, and those that are read to show a place', () => {
    expect(Object.keys(storedShape(columns))).toEqual(['id', 'cost_micro', 'row_no'])
    expect(Object.keys(comparedShape(columns))).toEqual(['cost_micro'])
    expect(readShape(columns, 'list')).toEqual({ id: columns.id.stored, cost_micro: number })
  })

  it('takes the facts out of a document', () =>
    expect(factsFrom<Source, typeof columns>(columns)({ text: 'a', micro: 5 })).toEqual({ id: 'a', cost_micro: 5 }))

  it('shows fields in its order, converted, without those that a row does not have', () => {
    const fields = shownFields(columns, 'detail', 'list')
    expect(JSON.stringify(fields({ id: 'a', cost_micro: 2e6, row_no: 1 }))).toBe('{"id":"a","cost":2,"row_no":1}')
    expect(fields({ id: 'a', cost_micro: null, row_no: 1 })).toStrictEqual({ id: 'a', row_no: 1 })
    expect(Object.entries(shownShape(columns, 'list'))).toEqual([
      ['id', columns.id.stored],
      ['cost', columns.cost.as.type],
    ])
  })

  it('has the first columns of a CSV in front, and converts stored rows', () => {
    const line = (rows: 'stored' | 'shown', row: object) =>
      csvColumns(columns, rows, ['row_no', 'id']).map(({ header, value }) => [header, value(row)])
    expect(line('shown', { id: 'a', row_no: 1 })).toEqual([
      ['number', 1],
      ['run_id', 'a'],
      ['cost_usd', 'unknown'],
    ])
  })
})
