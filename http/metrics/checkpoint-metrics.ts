import { Gauge, type Registry } from 'prom-client'
import type { SignerStatus } from '../../runtime/proof/signer.ts'
import type { Services } from '../services.ts'

type Metric = {
  readonly name: string
  readonly help: string
  /** `now` is in epoch milliseconds. */
  readonly value: (status: SignerStatus, now: number) => number
}

const METRICS: readonly Metric[] = [
  {
    name: 'ers_checkpoint_age_seconds',
    help: 'Time since the newest checkpoint was signed. It grows while nothing is recorded.',
    value: ({ newest }, now) => (newest ? (now - newest.signed_at) / 1000 : 0),
  },
  {
    name: 'ers_checkpoint_unwitnessed_seconds',
    help: 'Time since the first checkpoint was signed that lacks cosignatures; 0 if the newest one has enough.',
    value: ({ unwitnessed_since }, now) => (unwitnessed_since === null ? 0 : (now - unwitnessed_since) / 1000),
  },
  {
    name: 'ers_checkpoint_stopped',
    help: '1 if nothing is signed any more: an earlier checkpoint is not a prefix of the log, or the log has a new name.',
    value: ({ has_stopped }) => (has_stopped ? 1 : 0),
  },
  {
    name: 'ers_checkpoint_witness_conflicts',
    help: 'Checkpoints that a witness has refused since the start, because it knows another history of this log.',
    value: ({ witness_conflicts }) => witness_conflicts,
  },
]

/** Adds the metrics of checkpoints, if this service signs any. */
export const addCheckpointMetrics = (registry: Registry, { signer, now }: Pick<Services, 'signer' | 'now'>): void => {
  if (!signer) return
  for (const { name, help, value } of METRICS) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value(signer.status(), now()))
      },
    })
  }
}
