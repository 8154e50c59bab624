import { calibration } from './statistics/calibration.ts'
import { diskFull } from './disk-full.ts'
import { eventLoop } from './event-loop.ts'
import { falseAlarms } from './statistics/false-alarms.ts'
import { fsync } from './fsync.ts'
import { holdRacesOnBoth } from './proof/hold-races.ts'
import { hostile } from './hostile.ts'
import { importMemory } from './interchange/import-memory.ts'
import { kill } from './kill.ts'
import { large } from './large.ts'
import { mixed } from './mixed.ts'
import { moves } from './moves.ts'
import { parts } from './parts.ts'
import { mutations } from './proof/mutations.ts'
import { postgres } from './postgres.ts'
import { slow } from './slow.ts'
import { transcripts } from './transcripts.ts'
import type { Soak } from './soak.ts'
import { upgrade, upgradePostgres } from './upgrade/one-server.ts'
import { upgradeReplicas } from './upgrade/replicas.ts'

/** All measures by name, quick ones first. */
export const SOAKS: Readonly<Record<string, Soak>> = {
  fsync,
  'false-alarms': falseAlarms,
  calibration,
  'disk-full': diskFull,
  hostile,
  'event-loop': eventLoop,
  large,
  'import-memory': importMemory,
  slow,
  mutations,
  postgres,
  'hold-races': holdRacesOnBoth,
  upgrade,
  'upgrade-postgres': upgradePostgres,
  'upgrade-replicas': upgradeReplicas,
  transcripts,
  parts,
  moves,
  mixed,
  kill,
}
