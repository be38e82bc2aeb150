import { CERTIFICATE_VERSION, type Certificate, type CertifiedProof, statementOf } from "../../artifact/certificate.js";
import type { Claim, PackClaims } from "../../artifact/claim.js";
import type { Artifact, CompiledPack } from "../../artifact/compiled.js";
import { whyUnproved } from "../../certificate/check-certificate.js";
import { goalOf } from "./control/claim-goal.js";
import { ControlProver } from "./control/control-prover.js";
import { certified } from "./control/to-certificate.js";

/** A certificate, and the claims that it does not prove. */
export interface Certified {
  readonly certificate: Certificate;
  readonly without: readonly Claim[];
}

/** Writes down what is proved of an artifact: claims about calls, and tools that are never allowed. */
export function certify(artifact: Artifact, claims: readonly PackClaims[]): Certified {
  const proofs: CertifiedProof[] = [];
  const without: Claim[] = [];
  for (const [at, pack] of artifact.packs.entries()) {
    const prover = new ControlProver(pack);
    // What is proved and not confirmed is left out: a certificate is as good as its check.
    const confirmed = (proof: CertifiedProof | null) =>
      proof === null || whyUnproved(artifact, proof) !== null ? [] : [proof];
    for (const claim of claims[at] ?? []) {
      const found = confirmed(proofOf(at, { pack, prover, claim }));
      proofs.push(...found);
      if (found.length === 0) without.push(claim);
    }
    for (const { name: tool } of pack.tools) {
      const proof = prover.proofOf({ kind: "never", tool, calls: [[]] });
      proofs.push(...confirmed(proof === null ? null : certified(at, { kind: "never_allowed", tool }, proof)));
    }
  }
  return { certificate: { certificate: CERTIFICATE_VERSION, artifact: artifact.hash, proofs }, without };
}

function proofOf(
  at: number,
  { pack, prover, claim }: { readonly pack: CompiledPack; readonly prover: ControlProver; readonly claim: Claim },
): CertifiedProof | null {
  const statement = statementOf(claim);
  if (statement === null || claim.kind === "always_possible") return null;
  const proof = prover.proofOf(goalOf(claim, pack));
  return proof === null ? null : certified(at, statement, proof);
}
