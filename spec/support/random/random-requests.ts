import fc from 'fast-check'
import { CALLERS, type AnyCaller, type RandomRequest, type RequestParts } from './request.ts'
import { MORE_READS, READS, READS_OF_ADMINS } from './random-reads.ts'
import { CHANGES, INGESTS } from './random-changes.ts'

const mostlyAdmins = fc.constantFrom<AnyCaller>('admin', 'root', 'admin', 'root', ...CALLERS)
const withCaller = (
  requests: fc.Arbitrary<RequestParts>,
  caller: fc.Arbitrary<AnyCaller>,
): fc.Arbitrary<RandomRequest> =>
  fc.record({ caller, request: requests }).map(({ caller: drawn, request }) => ({ caller: drawn, ...request }))

/** Any request: more than half are reads, the rest are uploads and changes. */
export const randomRequest: fc.Arbitrary<RandomRequest> = fc.oneof(
  { weight: 6, arbitrary: withCaller(fc.oneof(...READS), fc.constantFrom(...CALLERS, 'root', 'admin', 'ann')) },
  { weight: 3, arbitrary: withCaller(fc.oneof(...MORE_READS), fc.constantFrom(...CALLERS, 'root', 'admin', 'ann')) },
  { weight: 1, arbitrary: withCaller(fc.oneof(...READS_OF_ADMINS), mostlyAdmins) },
  {
    weight: 3,
    arbitrary: withCaller(INGESTS, fc.constantFrom<AnyCaller>('write', 'admin', 'ann', 'write', ...CALLERS)),
  },
  { weight: 3, arbitrary: withCaller(fc.oneof(...CHANGES), mostlyAdmins) },
)
