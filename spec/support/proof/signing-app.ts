import { SYSTEM } from '../../../queries/access/viewer.ts'
import type { CosignedCheckpoint } from '../../../runtime/proof/signer.ts'
import { openApp, type SpecApp } from '../servers/app.ts'
import { createSpecSigner, exampleKey } from './opened-signer.ts'
import { witnessKey } from './keys.ts'

/** An app that signs checkpoints, but only when a spec or a receipt asks for one. */
export type SigningApp = {
  readonly spec: SpecApp
  /** The verifier keys of the log and of its one witness. */
  readonly vkeys: { readonly log: string; readonly witness: string }
  /** The policy that needs this witness. */
  readonly policy: string
  /** Returns a checkpoint of the whole log, signed now unless there is one. */
  readonly sign: () => Promise<CosignedCheckpoint>
  /** The witness cosigns a checkpoint, at a time in seconds. */
  readonly cosign: (checkpoint: CosignedCheckpoint, seconds?: number) => Promise<void>
}

const MAX_GAP_MS = 1_000

type Options = Parameters<typeof openApp>[0] & {
  /** Changes the store before the signer reads it. */
  readonly beforeStart?: (spec: SpecApp) => Promise<void>
}

/** Opens the whole app with the example key of a log, and a policy with one witness. */
export const openSigningApp = async ({
  parts = () => ({}),
  beforeStart,
  ...options
}: Options = {}): Promise<SigningApp> => {
  const witness = await witnessKey('witness.example/w1', 2)
  const log = exampleKey().vkey
  const policy = `log ${log}\nwitness w1 ${witness.vkey.text}\nquorum w1\n`
  const created: Array<ReturnType<typeof createSpecSigner>['signer']> = []
  const spec = await openApp({
    ...options,
    parts: (service) => {
      const { signer } = createSpecSigner(
        { service, dataDir: '' },
        { policy: { file: 'policy', bytes: Buffer.from(policy) } },
        {
          guardFile: null,
          // One of its own, as in a service on a database: what it remembers of the tree is not what the routes remember.
          reader: { ...service.reader },
          // A caller does not wait for its signature; the interval never ends.
          schedule: (ms, work) => {
            if (ms <= MAX_GAP_MS) setImmediate(work)
            return () => {}
          },
        },
      )
      created.push(signer)
      return { ...parts(service), signer }
    },
  })
  const [signer] = created
  if (!signer) throw new Error('the app did not ask for its parts')
  await beforeStart?.(spec)
  await signer.start()
  return {
    spec,
    vkeys: { log, witness: witness.vkey.text },
    policy,
    sign: async () => signer.covering((await spec.service.head()).size),
    cosign: async ({ size, note }, seconds = 1_777_885_300) => {
      const text = note.slice(0, note.indexOf('\n\n') + 1)
      const cosignature = {
        key_name: witness.vkey.name,
        key_id: witness.vkey.id,
        line: witness.sign(text, seconds),
        at: seconds,
      }
      await spec.service.commit.keepCosignatures(SYSTEM, { size, cosignatures: [cosignature] })
    },
  }
}
