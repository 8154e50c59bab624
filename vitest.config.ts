import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'
import { COMPILE_CACHE } from './spec/support/bare-environment.ts'
import { folderOfRun } from './spec/support/quick-folder.ts'
import { SpecOrder } from './spec/support/spec-order.ts'

const EVERY = ['spec/**/*.spec.ts']
const WEBAPP = 'spec/webapp/**/*.spec.ts'
// The end of a spec's name selects its storage. Specs that use no storage run once, in the project for SQLite.
const PURE = '**/*.pure.spec.ts'
const OF_SQLITE = '**/*.sqlite.spec.ts'
const OF_POSTGRES = '**/*.postgres.spec.ts'
const WITH_EACH = ['spec/support/random/random-seed.ts', 'spec/support/short-stacks.ts']
const SETUP = ['spec/support/quick-folder.ts', 'spec/support/servers/build.ts']

/** Temporary files are in memory: no spec tests the disk, and each commit would wait for it. */
const ENVIRONMENT = { TMPDIR: folderOfRun(), NODE_COMPILE_CACHE: COMPILE_CACHE }

export default defineConfig({
  test: {
    // These limits are for specs that hang. On a busy machine, any spec may take many times as long as usual.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    // Two more workers than a small machine has cores, because each worker sometimes waits for its server, browser or
    // database.
    maxWorkers: 4,
    // Spec files share a process and its loaded modules: loading them again would take a second per file. So no file may
    // depend on those before it: `SPEC_ORDER=7 npm run spec` runs the files in another order, the one that 7 names.
    isolate: false,
    // With more space for young objects, Node needs less time for garbage collection.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: SpecOrder },
    expect: { poll: { timeout: 120_000 } },
    setupFiles: WITH_EACH,
    // Each spec runs on every storage that it can test. `--project sqlite` runs the specs of one storage.
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: EVERY,
          exclude: [OF_POSTGRES, WEBAPP],
          globalSetup: SETUP,
          env: { ...ENVIRONMENT, SPEC_STORAGE: 'sqlite' },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: EVERY,
          exclude: [PURE, OF_SQLITE, WEBAPP],
          globalSetup: [...SETUP, 'spec/support/postgres/setup.ts'],
          env: { ...ENVIRONMENT, SPEC_STORAGE: 'postgres' },
        },
      },
      {
        extends: true,
        plugins: [vue()],
        test: {
          name: 'webapp',
          server: { deps: { inline: ['markdown-it'] } },
          include: [WEBAPP],
          environment: 'happy-dom',
          setupFiles: [...WITH_EACH, 'spec/webapp/setup.ts'],
        },
      },
    ],
  },
})
