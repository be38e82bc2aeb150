/**
 * The base of values that expressions compute and JSON cannot hold. One test tells all of them apart from objects of JSON, whose
 * members must never be mistaken for theirs.
 */
export abstract class BeyondJson {}
