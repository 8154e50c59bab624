import { expect, it } from 'vitest'
import { ApiError } from '../../../webapp/api/api.ts'
import { whyFailed } from '../../../webapp/api/why-failed.ts'

it('whyFailed includes the request id if there is one', () =>
  expect(
    [
      new ApiError(503, 'the store is full', 'r-7'),
      new ApiError(0, 'the server could not be reached', null),
      new TypeError('x'),
    ].map(whyFailed),
  ).toEqual(['the store is full. Request r-7.', 'the server could not be reached.', 'an error occurred in this page.']))
