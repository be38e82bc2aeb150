import { resolve } from "node:path";
import { certify } from "../../analysis/proof/certify.js";
import { readCertificate, statementOf } from "../../artifact/certificate.js";
import type { Claim, PackClaims } from "../../artifact/claim.js";
import { claimText } from "../../artifact/claim-wording.js";
import type { Artifact } from "../../artifact/compiled.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { clean, cleanLine } from "../../base/clean.js";
import { whyRejected } from "../../certificate/check-certificate.js";
import { compileFolder } from "../../compiler/compile-pack.js";
import { renderText } from "../../diagnostics/render-text.js";
import { counted } from "../../diagnostics/wording.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import { packFolders, readOptions, requireFolder } from "../pack-folder.js";
import { readNamedFile } from "../read-named-file.js";
import { type Terminal, wantsColor } from "../terminal.js";
import { isOneTarget, outputTo } from "../write-output.js";

/** What was asked about a certificate of a pack. */
export interface CertificateArguments {
  readonly pack: string;
  readonly file: string;
  readonly tools?: string;
  readonly root?: string;
  /** What else the command reads. */
  readonly inputs?: readonly string[];
  /** Another file that the command writes. */
  readonly report?: string;
}

interface Pack {
  readonly artifact: Artifact;
  readonly claims: readonly PackClaims[];
  readonly folders: readonly string[];
}

/** Null where the pack has errors, which are printed. */
function read(terminal: Terminal, given: CertificateArguments): Pack | null {
  const folder = requireFolder(given.pack, terminal.cwd);
  const { artifact, claims, diagnostics } = compileFolder(folder, readOptions(given, folder, terminal.cwd));
  if (artifact !== null) return { artifact, claims, folders: packFolders(folder, artifact) };
  terminal.stdout.write(renderText(diagnostics, wantsColor(terminal)));
  return null;
}

function print(terminal: Terminal, lines: readonly string[]): void {
  terminal.stdout.write(`${lines.map(cleanLine).join("\n")}\n`);
}

function lacking(claims: readonly Claim[]): readonly string[] {
  return claims.map((claim) => `  without a certificate: ${claimText(claim)}`);
}

/** Whether a file may be replaced by a certificate. */
function isCertificate(text: string): boolean {
  return readCertificate(text).ok;
}

/** Checks that a certificate can be written, before the pack is explored; the returned function does it. */
export function certificateWriter(terminal: Terminal, given: CertificateArguments): () => ExitCode {
  const pack = read(terminal, given);
  if (pack === null) return () => EXIT.findings;
  const { cwd } = terminal;
  const { file, tools, root, report, inputs: others = [] } = given;
  const inputs = [...(tools === undefined ? [] : [tools]), ...others].map((name) => resolve(cwd, name));
  // What --root allows to be read may be a part of the pack.
  const packs = [...pack.folders, ...(root === undefined ? [] : [resolve(cwd, root)])];
  const output = { what: "the certificate", packs, inputs, isEarlier: isCertificate };
  const write = outputTo(resolve(cwd, file), output);
  if (report !== undefined && isOneTarget(resolve(cwd, file), resolve(cwd, report))) {
    throw new UsageError(`\`${clean(report)}\` is where the certificate goes; choose another file for --report`);
  }
  return () => {
    const { certificate, without } = certify(pack.artifact, pack.claims);
    write(`${canonicalJson(certificate)}\n`);
    const proofs = counted(certificate.proofs.length, "proof");
    terminal.stderr.write(`${[`wrote ${given.file}: ${proofs}`, ...lacking(without)].map(cleanLine).join("\n")}\n`);
    return EXIT.clean;
  };
}

/** Checks a certificate against the pack as it is now, without searching. */
export async function checkCommand(terminal: Terminal, given: CertificateArguments): Promise<ExitCode> {
  const pack = read(terminal, given);
  if (pack === null) return EXIT.findings;
  const result = readCertificate(readNamedFile(resolve(terminal.cwd, given.file), given.file));
  const why = result.ok ? whyRejected(pack.artifact, result.certificate) : result.message;
  if (!result.ok || why !== null) {
    print(terminal, [`${given.file} is rejected: ${why}`]);
    return EXIT.findings;
  }
  const { proofs } = result.certificate;
  const proved = new Set(proofs.map(({ pack: at, statement }) => canonicalJson([at, statement])));
  const without = pack.claims.flatMap((claims, at) =>
    claims.filter((claim) => !proved.has(canonicalJson([at, statementOf(claim)]))),
  );
  const claims = counted(pack.claims.flat().length - without.length, "claim");
  print(terminal, [`${given.file} holds: ${counted(proofs.length, "proof")}, ${claims}`, ...lacking(without)]);
  return EXIT.clean;
}
