# SPDX-License-Identifier: Apache-2.0
# java - what the tests of HotSpot's methods share; sourced after integration.bash
#
# TM_JDKS: folders of the Java versions to test, where it is not to be Debian's and its like.

JAVA_SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PYTHONPATH=$PYTHONPATH:$JAVA_SOURCE
export JAVA_TOOL_OPTIONS= JDK_JAVA_OPTIONS= _JAVA_OPTIONS=
unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS # of the caller

# libjvm_of JDK - its file; nothing where it has none
libjvm_of() {
	local file
	for file in "$1"/{,jre/}lib/{,amd64/}server/libjvm.so; do
		[[ -f $file ]] && readlink -f "$file" && return
	done
}

# Each once.
JDKS=()
declare -A known=()
for folder in ${TM_JDKS:-/usr/lib/jvm/*}; do
	libjvm=$(libjvm_of "$folder")
	[[ $libjvm && ! ${known[$libjvm]:-} && -x $folder/bin/java ]] || continue
	known[$libjvm]=yes
	JDKS+=("$folder")
done
((${#JDKS[@]})) || wrong "there is no Java of HotSpot in ${TM_JDKS:-/usr/lib/jvm}"

# stubs_of JDK - "named" where its file has the symbol by which the names of stubs are found
stubs_of() {
	if [[ $(readelf -sW "$(libjvm_of "$1")") == *' _ZN12StubCodeDesc5_listE'* ]]; then
		echo named
	else
		echo blobs
	fi
}

# feature_of JDK - "17"; of Java 8, "8"
feature_of() {
	"$1/bin/java" -XshowSettings:properties -version 2>&1 |
		sed -nE 's/^ *java\.specification\.version = (1\.)?([0-9]+)$/\2/p'
}

# compile - the programs of this folder into $WORK/classes, as Java 8 reads them, and the native
# methods of one, by the first of the JDKs that can; those to test may only run programs
compile() {
	local jdk
	for jdk in "${JDKS[@]}" /usr/lib/jvm/*; do
		[[ -x $jdk/bin/javac && -f $jdk/include/jni.h ]] || continue
		(($(feature_of "$jdk") > 8)) || continue
		mkdir "$WORK/classes"
		must "$jdk/bin/javac" --release 8 -g -Xlint:-options -d "$WORK/classes" \
			"$JAVA_SOURCE"/*.java
		must gcc -std=gnu17 -O1 -fno-omit-frame-pointer -fPIC -shared -Wextra -Werror \
			-isystem "$jdk/include" -isystem "$jdk/include/linux" \
			-o "$WORK/libtruth.so" "$JAVA_SOURCE/truth.c"
		return
	done
	wrong "there is no JDK that compiles for Java 8"
	finish
}
compile
