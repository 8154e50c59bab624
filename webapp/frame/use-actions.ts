import { computed, onScopeDispose, shallowRef, toValue, type MaybeRefOrGetter } from 'vue'
import type { IconName } from '../components/icons.ts'

/** Something that the user can do on the current page. The command palette lists it under "Do". */
export type Action = {
  /** A verb and its object, for example "Compare mini-agi with its baseline". */
  readonly label: string
  readonly hint?: string
  readonly icon?: IconName
  /** The keys that do the same, for example `g r`. */
  readonly keys?: string
  readonly run: () => void
}

const offers = shallowRef<ReadonlyArray<MaybeRefOrGetter<readonly Action[]>>>([])

/** Offers actions until the calling component is unmounted. Keys of `useKeys` are offered without this. */
export const offerActions = (actions: MaybeRefOrGetter<readonly Action[]>): void => {
  offers.value = [actions, ...offers.value]
  onScopeDispose(() => (offers.value = offers.value.filter((other) => other !== actions)))
}

/** The actions that are offered now, those of the newest component first. */
export const useActions = () => computed(() => offers.value.flatMap((actions) => toValue(actions)))
