package core
import ("testing")
func BenchmarkLegacy(b *testing.B){ p,err:=NewPool(1,256,make([]byte,16)); if err!=nil{b.Fatal(err)}; par,_:=Recommended(1,256,16); w:=make([]byte,16); b.ReportAllocs(); for b.Loop(){ if err:=p.Words(false,&par,nil,w,1,w);err!=nil{b.Fatal(err)}}}
func BenchmarkWord10(b *testing.B){ p,_:=NewPool(0,10,make([]byte,16)); par,_:=Recommended(0,10,16); w:=make([]byte,16); b.ReportAllocs(); for b.Loop(){ if err:=p.Words(false,&par,nil,w,1,w);err!=nil{b.Fatal(err)}}}
func BenchmarkBatch10(b *testing.B){ p,_:=NewPool(0,10,make([]byte,16)); par,_:=Recommended(0,10,16); w:=make([]byte,160000); b.ReportAllocs(); for b.Loop(){ if err:=p.Words(false,&par,nil,w,10000,w);err!=nil{b.Fatal(err)}}}
func BenchmarkPool10(b *testing.B){ for b.Loop(){ p,_:=NewPool(0,10,make([]byte,16));p.Close()}}
func BenchmarkPool256(b *testing.B){ for b.Loop(){ p,_:=NewPool(0,256,make([]byte,16));p.Close()}}
func BenchmarkSplitBig(b *testing.B){ s:=make([]byte,1<<20);o:=make([]byte,5<<20+5); b.SetBytes(1<<20); for b.Loop(){ if err:=Split(0x11b,s,2,5,o);err!=nil{b.Fatal(err)}}}
func BenchmarkSplit32(b *testing.B){ s:=make([]byte,32);o:=make([]byte,5*33);b.ReportAllocs(); for b.Loop(){ if err:=Split(0x11b,s,3,5,o);err!=nil{b.Fatal(err)}}}
