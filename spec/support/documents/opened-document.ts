import { InvalidDocument } from '../../../domain/run/invalid-document.ts'
import { contentHasher, openDocument } from '../../../domain/run/document.ts'

export type Members = Record<string, unknown>

/** The worked example of the wire format, as text. */
export const EXAMPLE = `{
 "schema_version":3,
 "run_id":"01K2ZQ7C8V4T9E6M3B5N1R0WXA",
 "project":"support-desk",
 "suite":"refunds",
 "started_at":"2026-05-04T09:00:00Z",
 "finished_at":"2026-05-04T09:00:42.250Z",
 "config_digest":"blake3:5d1f",
 "config_snapshot":{"description":"Refund answers","providers":["fast-model","crm-bot"]},
 "git":{"branch":"main","commit":"9f3c2ab","dirty":false},
 "ci":{"provider":"github","run_url":"https://ci.example/runs/812"},
 "origin":{"actor":"mira","host":"runner-3","version":"1.4.0"},
 "digests":{"prompts":"blake3:p1","providers":"blake3:v1","tests":"blake3:t1","asserts":"blake3:a1","grader":"blake3:g1"},
 "filters":{"tags":["nightly"]},
 "cases":[
  {"cell":{"provider_id":"fast-model","prompt_id":"terse","test_id":"refund/eligible","repeat":0},"case_key":"07f1c0919d4689f8",
   "name":"eligible refund","tags":["smoke"],"vars":{"order":"A-77"},"status":"pass","score":0.93,
   "output":"Yes, you can return it within 30 days.","prompt":{"text":"How long can I return it?"},"stop_reason":"end_turn","model":"fast-model-2026-04",
   "asserts":[{"kind":"icontains","status":"pass","score":1,"weight":1,"reason":"found","criteria":{"type":"icontains","value":"30 days"},"cached":false},
    {"kind":"llm-rubric","status":"pass","score":0.9,"weight":2,"reason":"States the window.",
     "criteria":{"type":"llm-rubric","value":"States the return window"},"cached":false,"cost_usd":0.0042}],
   "usage":{"input_tokens":420,"output_tokens":12,"cache_read_tokens":300},"cost_usd":0.00031,"latency_ms":810,"wall_ms":1900,"cached":false,
   "attempts":1,"prompt_digest":"blake3:c1","provider_digest":"blake3:d1","assert_digest":"blake3:e1"},
  {"cell":{"provider_id":"fast-model","prompt_id":"terse","test_id":"refund/eligible","repeat":1},"case_key":"8cb9b3fd0ce1b8d1","status":"fail","score":0.6,
   "output":"Yes - 30 days from delivery.",
   "asserts":[{"kind":"icontains","status":"pass","score":1,"weight":1,"reason":"found","cached":false},
    {"kind":"llm-rubric","status":"fail","score":0.4,"weight":2,"reason":"Start of the window is wrong.","cached":false,"cost_usd":0.0041}],
   "usage":{"input_tokens":720,"output_tokens":8},"cost_usd":0.00044,"latency_ms":1290,"cached":false,"attempts":1},
  {"cell":{"provider_id":"fast-model","prompt_id":"terse","test_id":"refund/abuse","repeat":0},"case_key":"bd75180fbe9cd7fa","status":"skip","score":0,
   "output":"","stop_reason":"refusal","empty_reason":"refusal",
   "asserts":[{"kind":"contains","status":"fail","score":0,"weight":1,"reason":"nothing to check",
    "criteria":{"type":"contains","value":"voucher","negate":true},"cached":false}],
   "usage":{"input_tokens":715,"output_tokens":0},"cost_usd":0.00036,"latency_ms":350,"cached":false,"attempts":1},
  {"cell":{"provider_id":"fast-model","prompt_id":"terse","test_id":"shipping/eta","repeat":0},"case_key":"b5f8bbee625b5b36","status":"xpass","score":1,
   "output":{"eta_days":3},"expect_fail_reason":"ticket 4411",
   "asserts":[{"kind":"contains-json","status":"pass","score":1,"weight":1,"reason":"","cached":false}],
   "usage":{"input_tokens":610,"output_tokens":9},"cost_usd":0.00033,"latency_ms":700,"cached":false,"attempts":1},
  {"cell":{"provider_id":"crm-bot","test_id":"refund/eligible","repeat":0},"case_key":"2e729be0ea27d081","status":"pass","score":1,
   "output":"Yes, you can return it within 30 days.",
   "asserts":[{"kind":"icontains","status":"pass","score":1,"weight":1,"reason":"found","cached":false}],"latency_ms":45,"cached":true,
   "cache_key":"sha256:4f33837d5e632cd7e12e0455eaffe005939799519d6618415e387cff311e4af6","attempts":1}
 ],
 "summary":{"total":5,"passed":2,"failed":1,"errored":0,"skipped":1,"prompt_tokens":2765,"completion_tokens":29,"cost_usd":0.00144,"cache_hits":1,
  "cache_misses":4,"retried_cases":0,"cache_read_tokens":300,"grader_cost_usd":0.0083,"empty_counts":{"refusal":1},"xpassed":1}
}`

export const SMALL_CASE = {
  cell: { provider_id: 'p', test_id: 't' },
  case_key: 'k',
  status: 'pass',
  score: 1,
  latency_ms: 0,
}
export const SMALL = {
  schema_version: 3,
  run_id: 'r',
  started_at: '2026-05-04T09:00:00Z',
  finished_at: '2026-05-04T09:00:00Z',
  config_digest: '',
  config_snapshot: null,
  cases: [SMALL_CASE],
  summary: { total: 1, passed: 1, failed: 0, errored: 0, skipped: 0 },
}
export const withCase = (fields: Members) => ({ ...SMALL, cases: [{ ...SMALL_CASE, ...fields }] })
export const assertion = { kind: 'equals', status: 'pass', score: 1, weight: 1 }

export const bytesOf = (document: unknown) =>
  Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))
export const openAll = (document: unknown) => {
  const open = openDocument(bytesOf(document))
  return { run: open.run, cases: Array.from({ length: open.caseCount }, (_, index) => open.caseAt(index)) }
}
export const hashOf = (document: unknown) => {
  const { run, cases } = openAll(document)
  const hasher = contentHasher(run)
  for (const normal of cases) hasher.add(normal)
  return hasher.digest()
}
/** Returns why a document is rejected, or `accepted`. */
export const refusal = (document: unknown) => {
  try {
    openAll(document)
    return 'accepted'
  } catch (error) {
    return error instanceof InvalidDocument ? `${error.reason}: ${error.message}` : error
  }
}
