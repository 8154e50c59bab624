import fc from 'fast-check'

/**
 * Specs with random input draw the same input in every run, so that results are the same on every machine.
 * `SPEC_SEED=4711` draws other input, `SPEC_SEED=random` other input each time; a failure names its seed.
 */
const seed = process.env['SPEC_SEED'] ?? '1'
if (seed !== 'random' && !/^\d+$/.test(seed))
  throw new Error(`SPEC_SEED must be a whole number or "random", got "${seed}"`)
fc.configureGlobal(seed === 'random' ? {} : { seed: Number(seed) })
