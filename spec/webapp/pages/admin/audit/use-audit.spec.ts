import { expect, it } from 'vitest'
import { FILTERS, auditParameters } from '../../../../../webapp/pages/admin/audit/use-audit.ts'
import { filtersIn } from '../../../../../webapp/components/list-page/use-address-filters.ts'

const NOW = Date.UTC(2026, 4, 4, 12)

it('the filters of an address become the parameters of a request', () => {
  expect(filtersIn({ type: 'RunIngested', actor: '', other: 'x', stream: ['a', 'b'] }, FILTERS)).toEqual({
    type: 'RunIngested',
  })
  expect(auditParameters({ type: 'RunIngested', since: '7d' }, NOW)).toEqual({
    type: 'RunIngested',
    since: Date.UTC(2026, 3, 27, 12),
  })
  // A day is the whole day in UTC.
  expect(auditParameters({ since: '2026-05-03', until: '2026-05-03' }, NOW)).toEqual({
    since: Date.UTC(2026, 4, 3),
    until: Date.UTC(2026, 4, 4) - 1,
  })
  // The server says what is wrong with any other text.
  expect(auditParameters({ since: 'soon', until: '2026-13-99' }, NOW)).toEqual({ since: 'soon', until: '2026-13-99' })
})
