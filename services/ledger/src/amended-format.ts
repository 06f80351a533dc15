import type { BusEvent } from '@countersign/kernel/event';

const open = '\ue000';
const close = '\ue001';
const places = new RegExp(`"${open}(\\d)${close}"`, 'g');

/** Stands for the n-th value that the database puts into an event, counted from 1. */
export function place(n: number): string {
  return `${open}${n}${close}`;
}

/**
 * An event of which some values are known under a lock only, as a pattern of format(); the values
 * are JSON themselves, so the pattern has no quotes around them.
 */
export function eventFormat(event: BusEvent<'authorization.amended'>): string {
  return JSON.stringify(event).replaceAll('%', '%%').replace(places, '%$1$$s');
}
