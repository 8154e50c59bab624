import * as z from 'zod'
import { CALIBRATION_STATES } from '../../domain/review/calibration-state.ts'
import { UsageError } from '../../engine/json.ts'
import type { EngineServer } from '../client/engine-server.ts'
import { queryText } from '../client/pages.ts'
import { readFromService } from '../gate/read-from-service.ts'

const Interval = z.object({ estimate: z.number(), lower: z.number(), upper: z.number() })
export type Interval = z.infer<typeof Interval>

const Measures = z.object({ sensitivity: Interval, specificity: Interval, kappa: Interval, ac1: Interval })

/** What commands read of a calibration. */
const Calibration = z.looseObject({
  target: z.enum(['case', 'metric']),
  metric: z.string().nullable(),
  state: z.enum(CALIBRATION_STATES),
  reasons: z.array(z.object({ text: z.string() })),
  sentence: z.string(),
  rate: z.union([Interval.extend({ reason: z.null() }), z.object({ reason: z.string() })]),
  judge: Measures.nullable(),
  people: z.object({ items: z.number(), ac1: Interval.nullable() }),
  labels: z.object({ total: z.number() }),
  plans: z.array(
    z.object({
      half_width: z.number(),
      labels: z.number().nullable(),
      more: z.object({ passed: z.number(), failed: z.number() }).nullable(),
    }),
  ),
})
export type Calibration = z.infer<typeof Calibration>

/** Which calibration is meant. Without a metric and a target the service chooses. */
export type CalibrationOptions = {
  readonly metric?: string | undefined
  readonly target?: string | undefined
  readonly clusterBy?: string | undefined
  readonly asOf?: string | undefined
}

const addressOf = (path: string, { metric, target, clusterBy, asOf }: CalibrationOptions): string => {
  const query = queryText({ metric, target, cluster_by: clusterBy, as_of: asOf })
  return query === '' ? path : `${path}?${query}`
}

const found = <T>(answer: T | null, server: EngineServer): T => {
  if (answer === null)
    throw new UsageError(`${server.client.url} has no such run, or is of a version without calibrations`)
  return answer
}

/** Reads what people say of the judge of a run. Throws `UsageError` for an unknown run or metric. */
export const readCalibration = async (
  server: EngineServer,
  id: string,
  options: CalibrationOptions,
): Promise<Calibration> => {
  const address = addressOf(`/runs/${encodeURIComponent(id)}/calibration`, options)
  return found(await readFromService(server, Calibration, address), server)
}

const Compared = z.looseObject({ sentence: z.string() })

/** Reads the difference of two runs, corrected by labels of people. Throws `UsageError` as `readCalibration` does. */
export const readComparedCalibration = async (
  server: EngineServer,
  base: string,
  head: string,
  options: CalibrationOptions,
): Promise<z.infer<typeof Compared>> => {
  const [one, other] = [base, head].map(encodeURIComponent)
  const address = addressOf(`/runs/${one}/compare/${other}/calibration`, options)
  return found(await readFromService(server, Compared, address), server)
}
